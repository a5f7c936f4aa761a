/* SPDX-License-Identifier: Apache-2.0 */
/* The program's main() under another name, and around it what leaves streams open. */
int whole_main(int argc, char **argv);

#define main      whole_main
#define cli_begin whole_begin
#define cli_end   whole_end
#include "cli/main.c"
