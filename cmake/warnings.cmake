# Flags that every target takes, through the interface target `warnings`.
add_library(warnings INTERFACE)
target_compile_features(warnings INTERFACE c_std_17)
target_compile_definitions(warnings INTERFACE _GNU_SOURCE)
target_include_directories(warnings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  -Wswitch-enum -Wvla -Wundef -Wformat=2 -Wpointer-arith -Wcast-qual
  $<$<BOOL:${CSREPLAY_WERROR}>:-Werror>)
