# Toolchain: programs for Linux on AArch64, made and tested on another machine.
#
# The compiler and the C library are those of gcc-aarch64-linux-gnu; tests run under qemu-user. The other libraries come from
# CSREPLAY_SYSROOT (a cache variable or of the environment), a tree of Debian arm64 as scripts/arm64-sysroot makes it.
if(NOT CSREPLAY_SYSROOT)
  set(CSREPLAY_SYSROOT $ENV{CSREPLAY_SYSROOT})
endif()
if(NOT IS_DIRECTORY "${CSREPLAY_SYSROOT}")
  message(FATAL_ERROR "CSREPLAY_SYSROOT: \"${CSREPLAY_SYSROOT}\" is no folder; scripts/arm64-sysroot makes one")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CSREPLAY_SYSROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT ${CSREPLAY_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;${CSREPLAY_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${CSREPLAY_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CSREPLAY_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CSREPLAY_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CSREPLAY_SYSROOT}/usr/share/pkgconfig)
