/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bundled example: a sensor hub that dies of a label.
 *
 * The hub samples its sensors round after round, sorts and checks what it has measured, and now
 * and then takes a command from its inbox. One of them renames a sensor; the name is longer than
 * the label, so that set_label() writes over the pointer behind it. Nothing happens until, rounds
 * later, it is that sensor's turn to be published. publish() follows the pointer and crashes.
 *
 * Freestanding: no libc, no system call but the last. Built and recorded by examples/remake.
 */
typedef unsigned char uint8_t;
typedef unsigned int uint32_t;

#define NOINLINE __attribute__((noinline))
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { SENSORS = 4, SAMPLES = 24, ROUNDS = 12, LABEL_SIZE = 8 };

enum mode { MODE_BOOT, MODE_IDLE, MODE_SAMPLING, MODE_COMMAND, MODE_PUBLISHING };

/* How a kind of sensor turns raw samples into a reading. */
struct driver {
	uint32_t scale;
	uint32_t offset;
};

struct sensor {
	uint8_t label[LABEL_SIZE];
	const struct driver *driver;
	uint32_t samples[SAMPLES];
	uint32_t checksum;
	double mean;
};

enum command_kind { COMMAND_NONE, COMMAND_RENAME, COMMAND_RESEED };

struct command {
	uint32_t round; /* when it arrives */
	enum command_kind kind;
	uint32_t sensor;
	uint32_t length; /* of the text */
	uint8_t text[16];
};

static const struct driver thermometer = {.scale = 10, .offset = 273};
static const struct driver barometer = {.scale = 4, .offset = 870};

static struct sensor sensors[SENSORS] = {
        {.label = "inside", .driver = &thermometer},
        {.label = "outside", .driver = &thermometer},
        {.label = "cellar", .driver = &barometer},
        {.label = "roof", .driver = &barometer},
};

static const struct command inbox[] = {
        {.round = 2, .kind = COMMAND_RENAME, .sensor = 0, .length = 7, .text = "kitchen"},
        {.round = 4, .kind = COMMAND_RESEED, .sensor = 0},
        {.round = 7, .kind = COMMAND_RENAME, .sensor = 2, .length = 12, .text = "winecellar-2"},
        {.round = 9, .kind = COMMAND_RESEED, .sensor = 0},
};

/* What the hub is doing; a debugger's favourite thing to watch. */
volatile enum mode hub_mode;
volatile uint32_t published;
static uint32_t noise = 20231;

/* One step of the checksum. */
NOINLINE static uint32_t mix(uint32_t sum, uint32_t value)
{
	sum ^= value;
	for (int bit = 0; bit < 4; bit++)
		sum = (sum & 1) ? (sum >> 1) ^ 0xedb88320u : sum >> 1;
	return sum;
}

NOINLINE static uint32_t read_converter(void)
{
	noise = noise * 1664525u + 1013904223u;
	return noise >> 20;
}

/* Orders samples [low, high] so that the median can be taken: quicksort. */
NOINLINE static void sort_samples(uint32_t *samples, int low, int high)
{
	int left = low;
	int right = high;
	uint32_t pivot;

	if (low >= high)
		return;
	pivot = samples[(low + high) / 2];
	while (left <= right) {
		while (samples[left] < pivot)
			left++;
		while (samples[right] > pivot)
			right--;
		if (left <= right) {
			uint32_t t = samples[left];

			samples[left++] = samples[right];
			samples[right--] = t;
		}
	}
	sort_samples(samples, low, right);
	sort_samples(samples, left, high);
}

/* Fills every sensor's samples and brings its checksum and mean up to date. */
NOINLINE static void sample_all(void)
{
	hub_mode = MODE_SAMPLING;
	for (int s = 0; s < SENSORS; s++) {
		struct sensor *sensor = &sensors[s];
		uint32_t sum = 0;

		sensor->checksum = 0xffffffffu;
		for (int i = 0; i < SAMPLES; i++) {
			sensor->samples[i] = read_converter();
			sensor->checksum = mix(sensor->checksum, sensor->samples[i]);
			sum += sensor->samples[i];
		}
		sensor->mean = sum / (double)SAMPLES;
	}
	hub_mode = MODE_IDLE;
}

/* The bug: `length` is the sender's, the room is LABEL_SIZE. */
NOINLINE static void set_label(struct sensor *sensor, const uint8_t *text, uint32_t length)
{
	uint8_t *to = sensor->label;

	for (uint32_t i = 0; i < length; i++)
		to[i] = text[i];
}

NOINLINE static void run_command(const struct command *command)
{
	hub_mode = MODE_COMMAND;
	switch (command->kind) {
	case COMMAND_RENAME:
		set_label(&sensors[command->sensor], command->text, command->length);
		break;
	case COMMAND_RESEED:
		noise += command->round;
		break;
	case COMMAND_NONE:
		break;
	}
	hub_mode = MODE_IDLE;
}

NOINLINE static void poll_inbox(uint32_t round)
{
	for (unsigned int i = 0; i < COUNT(inbox); i++) {
		if (inbox[i].round == round)
			run_command(&inbox[i]);
	}
}

/* Hands the median of a sensor to the outside world. */
NOINLINE static void publish(const struct sensor *sensor)
{
	const struct driver *driver = sensor->driver;

	hub_mode = MODE_PUBLISHING;
	published = sensor->samples[SAMPLES / 2] * driver->scale + driver->offset;
	hub_mode = MODE_IDLE;
}

NOINLINE int main(void)
{
	hub_mode = MODE_BOOT;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		sample_all();
		poll_inbox(round);
		sort_samples(sensors[round % SENSORS].samples, 0, SAMPLES - 1);
		publish(&sensors[round % SENSORS]);
	}
	return 0;
}

/* What a C library would do around main(): the process ends with its answer. */
NOINLINE __attribute__((noreturn)) static void leave(int answer)
{
	register long x0 __asm__("x0") = answer;
	register long x8 __asm__("x8") = 93;

	__asm__ volatile("svc #0" : : "r"(x0), "r"(x8));
	__builtin_unreachable();
}

__attribute__((noreturn)) void _start(void);

void _start(void)
{
	leave(main());
}
