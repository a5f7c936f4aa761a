/* SPDX-License-Identifier: Apache-2.0 */
/* The executable: the table of commands, the parser of its arguments, the help from both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/completion/completion.h"
#include "cli/image_argument.h"
#include "sandbox/sandbox.h"

#include CSREPLAY_COMMIT_HEADER /* CSREPLAY_COMMIT: made by the build; "" where it does not know */

#define BIT(option) (UINT64_C(1) << CLI_OPTION_##option)
#define ASSUMPTION_OPTIONS                                                                         \
	(BIT(SINGLE_WRITER) | BIT(ABI) | BIT(PRIVATE_LOCALS) | BIT(KERNEL_PRIVATE) |               \
	 BIT(WAITING_TASKS) | BIT(COHERENT) | BIT(STACK_PRIVATE) | BIT(TRACED_WRITERS) |           \
	 BIT(OWN_DUMPS) | BIT(TRUST) | BIT(ONE_ADDRESS_SPACE) | BIT(DEVICE))
#define SNAPSHOT_OPTIONS                                                                           \
	(BIT(IMAGE) | BIT(MODULE) | BIT(EVENTS) | BIT(CONTEXTIDR) | BIT(CORE_DUMP) |               \
	 BIT(SYSROOT) | BIT(DEBUG_DIR) | BIT(ALLOW_OUTSIDE) | BIT(STRICT) | BIT(HELP))

#define DEBUGGER_OPTIONS                                                                           \
	(SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(PRINT) | ASSUMPTION_OPTIONS | CLI_TAKES_ELF)

#define PAST_OPTIONS                                                                               \
	(SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(FORMAT) | BIT(CORE) | BIT(OF) | ASSUMPTION_OPTIONS)

#define ACCESS_DETAILS                                                                             \
	"NAME is a register, ADDRESS[+SIZE] or VARIABLE[+SIZE]. The youngest first, 100 unless "   \
	"--count\n"                                                                                \
	"says so; proved, or possible where an address is not known. FORMAT is text (default), "   \
	"tsv or\n"                                                                                 \
	"json.\n"

static const struct {
	const char *name;
	const char *value; /* NULL for a flag */
	const char *help;
} options[CLI_OPTIONS] = {
#define X(id, name, value, help) {name, value, help},
#include "cli/options.def"
#undef X
};

static const char compare_details[] =
        "A and B are traces of any kinds. FORMAT is text (default) or json. Instructions are\n"
        "matched by address; LIST is of what is compared of two that match:\n"
#define X(name, text, what) "  " text ": " what "\n"
#include "replay/compare/compare.def"
#undef X
        "of these registers with --registers, memory with --memory, exceptions, gaps, disassembly\n"
        "and timestamps with --strict. With --strict a gap excuses nothing. All cores with trace\n"
        "are compared, by name or in order; --core and --from take a name and a position for\n"
        "both, or one for each: A:B.\n"
        "Ends with 0 if there is no difference, 1 if there is one, 2 if used wrongly.\n";

static const struct cli_command commands[] = {
        {"serve", "serve the snapshot to gdb or lldb",
         "Connect with `target remote HOST:PORT` (gdb) or `gdb-remote HOST:PORT` (lldb).\n"
         "Port 0 picks a free port. Ctrl-C ends the server.\n",
         cmd_serve,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(LISTEN) | BIT(ONCE) | BIT(IDLE_TIMEOUT) | BIT(LOG) |
                 BIT(VERBOSE) | ASSUMPTION_OPTIONS},
        {"gdb", "serve the snapshot to a gdb that is started for it",
         "The debugger gets the settings and commands of csreplay, and the symbols of ELF, which "
         "is an\n"
         "image as of --image, or of the snapshot's images; what comes after -- is for it. Both "
         "end\n"
         "together, with the debugger's exit status. CSREPLAY_GDB names another gdb.\n",
         cmd_gdb, DEBUGGER_OPTIONS},
        {"lldb", "serve the snapshot to an lldb that is started for it",
         "As `csreplay gdb`. CSREPLAY_LLDB names another lldb.\n", cmd_lldb, DEBUGGER_OPTIONS},
        {"shell", "look at the snapshot in commands, without a debugger",
         "COMMANDS are those of the shell, where `help` lists them. Without --command they come "
         "from\n"
         "the terminal, or from another standard input. A command that fails ends those that come "
         "from\n"
         "elsewhere than a terminal, with 1.\n",
         cmd_shell,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(CORE) | BIT(COMMAND) | ASSUMPTION_OPTIONS},
        {"info", "show what the snapshot holds", "FORMAT is text (default) or json.\n", cmd_info,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(FORMAT) | ASSUMPTION_OPTIONS},
        {"check", "report everything that is wrong with the snapshot",
         "FORMAT is text (default), on standard error with the counts on standard output, or "
         "json: all on\n"
         "standard output, a line each. Ends with 1 if a debugger or a trace decoder would lack "
         "something.\n",
         cmd_check, SNAPSHOT_OPTIONS | BIT(FORMAT)},
        {"decode", "list the trace as generic elements",
         "FORMAT is text (default), as OpenCSD's trc_pkt_lister prints it, or json.\n", cmd_decode,
         SNAPSHOT_OPTIONS | BIT(FORMAT) | BIT(BUFFER) | BIT(SOURCE) | BIT(PACKETS) |
                 BIT(SOURCE_SPLIT) | BIT(TPIU) | BIT(TPIU_HSYNC) | BIT(DSTREAM)},
        {"history", "list the instructions that a core executed",
         "FORMAT is tsv (default), json, or tarmac: see `csreplay export --help`.\n", cmd_history,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(FORMAT) | BIT(CORE) | BIT(CONTEXT) | BIT(FROM) |
                 BIT(COUNT) | BIT(REGISTERS) | BIT(DIALECT) | ASSUMPTION_OPTIONS},
        {"compare", "show where two traces differ", compare_details, cmd_compare,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(FORMAT) | BIT(CORE) | BIT(FROM) | BIT(REGISTERS) |
                 BIT(MEMORY) | BIT(IGNORE) | BIT(FIRST) | BIT(MAX) | BIT(ONE_ADDRESS_SPACE) |
                 BIT(DEVICE) | CLI_TAKES_TWO},
        {"export", "write the history for other tools",
         "FORMAT is tarmac (default): Tarmac Text Rev 3, or with --dialect isp the format of\n"
         "ISP RAS, which has a field for the core: without --core all are written.\n",
         cmd_export,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(FORMAT) | BIT(DIALECT) | BIT(CORE) | BIT(FROM) |
                 BIT(COUNT) | BIT(ONE_ADDRESS_SPACE)},
        {"state", "answer what is known of registers and memory of the past",
         "Questions are lines POSITION<TAB>NAME, NAME a register, or m and an address in\n"
         "hexadecimal for the 8 bytes there; negative positions count back, -1 being the halt.\n"
         "Answers are POSITION<TAB>NAME<TAB>VALUE in hexadecimal, or - for what is not proved. "
         "Names\n"
         "that snapshots use (LR, R13) and W0 to W30 are understood, too.\n",
         cmd_state,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(CORE) | BIT(BATCH) | BIT(UNKNOWN) |
                 ASSUMPTION_OPTIONS},
        {"calls", "list who called whom, from calls and returns alone",
         "FORMAT is text (default), a tree; tsv; json, a line a call; or folded, a line a stack "
         "and\n"
         "how many instructions ran there, as tools that draw flame graphs read it. EXPR compares "
         "a\n"
         "register where a function is entered, or `result`, by == or !=.\n",
         cmd_calls,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(FORMAT) | BIT(CORE) | BIT(FUNCTION) |
                 BIT(ARGUMENTS) | BIT(WHERE) | ASSUMPTION_OPTIONS},
        {"origin", "show where a value of the past was made",
         "NAME is a register, ADDRESS[+SIZE] or VARIABLE[+SIZE]. FORMAT is text (default), tsv or "
         "json,\n"
         "a line a step, the youngest first: loads, stores, moves and arithmetic with constants,\n"
         "until an instruction made the value, or nothing that was traced did.\n",
         cmd_origin, PAST_OPTIONS | BIT(AT)},
        {"last-write", "show what wrote a register or memory last",
         "NAME is a register, ADDRESS[+SIZE] or VARIABLE[+SIZE]. The last write before --at, or N "
         "of\n"
         "them, the youngest first: proved, or possible where its address is not known, and then "
         "an\n"
         "older one may be the last. FORMAT is text (default), tsv or json.\n",
         cmd_last_write, PAST_OPTIONS | BIT(AT) | BIT(COUNT)},
        {"writes", "list what wrote a register or memory", ACCESS_DETAILS, cmd_writes,
         PAST_OPTIONS | BIT(FROM) | BIT(TO) | BIT(COUNT)},
        {"reads", "list what read a register or memory", ACCESS_DETAILS, cmd_reads,
         PAST_OPTIONS | BIT(FROM) | BIT(TO) | BIT(COUNT)},
        {"values-of", "list which value a register or memory had when",
         "NAME is a register, ADDRESS[+SIZE] or VARIABLE[+SIZE]. Stretches of positions, the "
         "youngest\n"
         "first, 100 unless --count says so; of memory the first 8 bytes. FORMAT is text "
         "(default), tsv\n"
         "or json.\n",
         cmd_values_of, PAST_OPTIONS | BIT(FROM) | BIT(TO) | BIT(COUNT)},
        {"why", "show how a value of the past is proved, or what keeps it unknown",
         "Of an address it is about the 8 bytes there. FORMAT is text (default) or json.\n",
         cmd_why,
         SNAPSHOT_OPTIONS | BIT(THREADS) | BIT(FORMAT) | BIT(CORE) | BIT(AT) | BIT(OF) |
                 ASSUMPTION_OPTIONS},
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static bool takes_two(const struct cli_command *command)
{
	return (command->options & CLI_TAKES_TWO) != 0;
}

static bool takes_elf(const struct cli_command *command)
{
	return (command->options & CLI_TAKES_ELF) != 0;
}

static void print_general_help(FILE *out)
{
	(void)fputs("usage: csreplay COMMAND [OPTIONS] SNAPSHOT\n"
	            "\n"
	            "Replays a CoreSight crash snapshot, backwards too.\n"
	            "\n"
	            "commands:\n",
	            out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		(void)fprintf(out, "  %-11s %s\n", commands[i].name, commands[i].summary);
	(void)fputs("\n"
	            "SNAPSHOT is a snapshot folder or its snapshot.ini, a trace package or its\n"
	            "contents.ini, a zip, tar, tar.gz or tar.xz of either, an ELF core file, or a\n"
	            "Tarmac text.\n"
	            "`csreplay COMMAND --help` explains a command; `csreplay --version` names the "
	            "version.\n",
	            out);
}

static void print_command_help(const struct cli_command *command)
{
	printf("usage: csreplay %s [OPTIONS] %s\n\n%s\n\noptions:\n", command->name,
	       takes_two(command)   ? "A B"
	       : takes_elf(command) ? "SNAPSHOT [ELF] [-- ARGUMENTS]"
	                            : "SNAPSHOT",
	       command->summary);
	for (unsigned int i = 0; i < CLI_OPTIONS; i++) {
		char left[48];

		if (!(command->options & UINT64_C(1) << i))
			continue;
		(void)snprintf(left, sizeof(left), "--%s%s%s", options[i].name,
		               options[i].value ? " " : "",
		               options[i].value ? options[i].value : "");
		printf("  %-24s %s\n", left, options[i].help);
	}
	if (command->details)
		printf("\n%s", command->details);
}

static const struct cli_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static enum cli_exit parse_image(struct str value, struct image_option *image)
{
	struct str wrong;

	if (image_argument_parse(value, image, &wrong) == STATUS_OK)
		return CLI_FINE;
	return cli_fail(CLI_USAGE,
	                "--image: \"%.*s\": expected context=ID or vmid=ID, a number of 32 bits, "
	                "space=NAME, or .SECTION=ADDRESS",
	                STR_ARG(wrong));
}

/* ADDRESS+SIZE */
static enum cli_exit parse_device(struct str value, struct device_range *range)
{
	size_t plus = str_find(value, '+');
	uint64_t size;

	if (str_to_u64((struct str){value.p, plus}, &range->first) != STATUS_OK ||
	    plus == value.n || str_to_u64(str_skip(value, plus + 1), &size) != STATUS_OK ||
	    size == 0 || range->first + (size - 1) < range->first)
		return cli_fail(
		        CLI_USAGE,
		        "--device \"%.*s\": expected ADDRESS+SIZE, such as 0x9000000+0x1000",
		        STR_ARG(value));
	range->last = range->first + (size - 1);
	return CLI_FINE;
}

static bool may_repeat(unsigned int option)
{
	return option == CLI_OPTION_IMAGE || option == CLI_OPTION_MODULE ||
	       option == CLI_OPTION_DEVICE;
}

/* Takes the value of an option that may be given more than once. */
static enum cli_exit parse_repeated(struct cli_args *args, unsigned int option, struct str value)
{
	if (option == CLI_OPTION_IMAGE)
		return parse_image(value, &args->images[args->image_count++]);
	if (option == CLI_OPTION_MODULE) {
		args->modules[args->module_count++] = value;
		return CLI_FINE;
	}
	return parse_device(value, &args->devices[args->device_count++]);
}

/* The option that `name` (without its dashes) is for this command, or CLI_OPTIONS. */
static unsigned int find_option(const struct cli_command *command, struct str name)
{
	unsigned int i;

	for (i = 0; i < CLI_OPTIONS; i++) {
		if ((command->options & UINT64_C(1) << i) && str_eq(str_of(options[i].name), name))
			break;
	}
	return i;
}

/* An option whose value may be left out: "[FILE]". */
static bool takes_rest(unsigned int option)
{
	return options[option].value && options[option].value[0] == '[';
}

/* What comes after argv[at] is a value if a SNAPSHOT is left beside it. */
static bool has_two_more(const struct cli_args *args, int argc, char **argv, int at)
{
	int count = args->snapshot ? 1 : 0;

	if (at + 1 >= argc || strncmp(argv[at + 1], "--", 2) == 0)
		return false;
	for (int i = at + 1; i < argc; i++)
		count += strncmp(argv[i], "--", 2) != 0;
	return count >= 2;
}

/* Takes argv[*i], an option, and its value. */
static enum cli_exit parse_option(struct cli_args *args, int argc, char **argv, int *i)
{
	struct str name = str_of(argv[*i] + 2);
	size_t equals = str_find(name, '=');
	bool has_value = equals < name.n;
	struct str value = has_value ? str_skip(name, equals + 1) : (struct str){"", 0};
	unsigned int option;

	name.n = equals;
	option = find_option(args->command, name);
	if (option == CLI_OPTIONS)
		return cli_fail(CLI_USAGE, "%s has no option --%.*s", args->command->name,
		                STR_ARG(name));
	if (!options[option].value && has_value)
		return cli_fail(CLI_USAGE, "--%s takes no value", options[option].name);
	if (takes_rest(option) && !has_value) {
		if (has_two_more(args, argc, argv, *i))
			value = str_of(argv[++*i]);
	} else if (options[option].value && !has_value) {
		if (*i + 1 >= argc)
			return cli_fail(CLI_USAGE, "--%s needs a value: %s", options[option].name,
			                options[option].value);
		value = str_of(argv[++*i]);
	}
	if (may_repeat(option)) {
		enum cli_exit code = parse_repeated(args, option, value);

		if (code != CLI_FINE)
			return code;
	} else if (args->given[option]) {
		return cli_fail(CLI_USAGE, "--%s is given twice", options[option].name);
	}
	args->given[option] = true;
	args->values[option] = value;
	return CLI_FINE;
}

static enum cli_exit parse_operand(struct cli_args *args, char *word)
{
	if (!args->snapshot) {
		args->snapshot = word;
	} else if (!args->second && takes_two(args->command)) {
		args->second = word;
	} else if (!args->second && takes_elf(args->command)) {
		args->second = word;
		args->given[CLI_OPTION_IMAGE] = true;
		return parse_image(str_of(word), &args->images[args->image_count++]);
	} else {
		return cli_fail(CLI_USAGE, "%s is enough: \"%s\", \"%s\"",
		                !args->second              ? "one SNAPSHOT"
		                : takes_elf(args->command) ? "one ELF file"
		                                           : "a pair of SNAPSHOTs",
		                args->second ? args->second : args->snapshot, word);
	}
	return CLI_FINE;
}

static enum cli_exit parse(struct cli_args *args, int argc, char **argv)
{
	static char command_option[] = "--command"; /* of -c */
	static char verbose_option[] = "--verbose"; /* of -v */
	bool options_end = false;
	enum cli_exit code = CLI_FINE;

	for (int i = 2; i < argc && code == CLI_FINE && !args->rest; i++) {
		if (!options_end && strcmp(argv[i], "-c") == 0)
			argv[i] = command_option;
		if (!options_end && strcmp(argv[i], "-v") == 0)
			argv[i] = verbose_option;
		if (!options_end && strcmp(argv[i], "--") == 0) {
			options_end = true;
			args->rest = takes_elf(args->command) ? &argv[i + 1] : NULL;
		} else if (!options_end && strcmp(argv[i], "-h") == 0) {
			args->given[CLI_OPTION_HELP] = true;
		} else if (!options_end && strncmp(argv[i], "--", 2) == 0) {
			code = parse_option(args, argc, argv, &i);
		} else {
			code = parse_operand(args, argv[i]);
		}
	}
	return code;
}

static enum cli_exit run(const struct cli_command *command, int argc, char **argv)
{
	struct cli_args args = {.command = command, .argv = argv + 1};
	enum cli_exit code;

	args.images = calloc((size_t)argc, sizeof(*args.images));
	args.devices = calloc((size_t)argc, sizeof(*args.devices));
	args.modules = calloc((size_t)argc, sizeof(*args.modules));
	code = args.images && args.devices && args.modules
	               ? parse(&args, argc, argv)
	               : cli_fail(CLI_INTERNAL, "out of memory");
	if (code == CLI_FINE && args.given[CLI_OPTION_HELP])
		print_command_help(command);
	else if (code == CLI_FINE && !args.snapshot)
		code = cli_fail(CLI_USAGE, "%s needs a SNAPSHOT; see `csreplay %s --help`",
		                command->name, command->name);
	else if (code == CLI_FINE && takes_two(command) && !args.second)
		code = cli_fail(CLI_USAGE, "%s needs two SNAPSHOTs; see `csreplay %s --help`",
		                command->name, command->name);
	else if (code == CLI_FINE)
		code = command->run(&args);
	for (size_t i = 0; i < args.image_count; i++)
		free(args.images[i].sections);
	free(args.images);
	free(args.devices);
	free(args.modules);
	return code;
}

/* What the build has, and the kernel. */
static void print_parts(void)
{
	struct sandbox_support support = sandbox_support();

	printf("libraries: " CSREPLAY_LIBRARIES "\n");
	if (!support.is_built) {
		printf("sandbox: not in this build\n");
		return;
	}
	if (support.landlock > 0)
		printf("sandbox: Landlock %d", support.landlock);
	else
		printf("sandbox: no Landlock in this kernel");
	printf(support.seccomp ? ", seccomp\n" : ", no seccomp in this kernel\n");
}

/* With -v also what it is made of. */
static enum cli_exit print_version(const char *more)
{
	bool all = more && (strcmp(more, "-v") == 0 || strcmp(more, "--verbose") == 0);

	if (more && !all)
		return cli_fail(CLI_USAGE, "--version takes -v or nothing: \"%s\"", more);
	printf("csreplay " CSREPLAY_VERSION "%s\n",
	       sizeof(CSREPLAY_COMMIT) > 1 ? " (" CSREPLAY_COMMIT ")" : "");
	if (all)
		print_parts();
	return CLI_FINE;
}

/* For a shell, from the tables. */
static enum cli_exit print_completion(const char *shell)
{
	struct completion_option the_options[CLI_OPTIONS];
	struct completion_command the_commands[COMMAND_COUNT];
	const struct completion_tables tables = {the_options, CLI_OPTIONS, the_commands,
	                                         COMMAND_COUNT};
	struct text out = {0};
	enum cli_exit code;

	for (unsigned int i = 0; i < CLI_OPTIONS; i++)
		the_options[i] = (struct completion_option){options[i].name, options[i].value,
		                                            options[i].help, may_repeat(i)};
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		the_commands[i] = (struct completion_command){commands[i].name, commands[i].summary,
		                                              commands[i].options};
	if (completion_write(shell, &tables, &out) == STATUS_OK)
		code = cli_flush(&out);
	else
		code = cli_fail(CLI_USAGE, "--completion takes bash, zsh or fish: \"%s\"", shell);
	text_fini(&out);
	return code;
}

static enum cli_exit start(int argc, char **argv)
{
	const struct cli_command *command;
	const char *name;
	bool asks_help;

	if (argc < 2) {
		print_general_help(stderr);
		return CLI_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0)
		return print_version(argc > 2 ? argv[2] : NULL);
	if (strcmp(argv[1], "--completion") == 0)
		return print_completion(argc > 2 ? argv[2] : "");
	asks_help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	            strcmp(argv[1], "help") == 0;
	if (asks_help && argc == 2) {
		print_general_help(stdout);
		return CLI_FINE;
	}
	name = argv[asks_help ? 2 : 1];
	command = find_command(name);
	if (!command)
		return cli_fail(CLI_USAGE, "no command \"%s\"; see `csreplay --help`", name);
	if (!asks_help)
		return run(command, argc, argv);
	print_command_help(command);
	return CLI_FINE;
}

int main(int argc, char **argv)
{
	cli_begin();
	return (int)cli_end(start(argc, argv));
}
