# What makes a fault harder to use, through the interface target `warnings`: each flag where the
# compiler and the linker of this machine have it.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

function(harden_code flag variable)
  check_c_compiler_flag(${flag} ${variable})
  if(${variable})
    target_compile_options(warnings INTERFACE ${flag})
  endif()
endfunction()

function(harden_link flag variable)
  check_linker_flag(C ${flag} ${variable})
  if(${variable})
    target_link_options(warnings INTERFACE ${flag})
  endif()
endfunction()

harden_code(-fstack-protector-strong CSREPLAY_HAS_STACK_PROTECTOR)
harden_code(-fstack-clash-protection CSREPLAY_HAS_STACK_CLASH_PROTECTION)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|i.86")
  harden_code(-fcf-protection=full CSREPLAY_HAS_CF_PROTECTION)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
  harden_code(-mbranch-protection=standard CSREPLAY_HAS_BRANCH_PROTECTION)
endif()
harden_link(-Wl,-z,relro,-z,now CSREPLAY_HAS_NOW)
harden_link(-Wl,-z,noexecstack CSREPLAY_HAS_NOEXECSTACK)

# Checks of library calls need optimised code. Level 3 knows more sizes, where the compiler has it.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12)
  set(CSREPLAY_FORTIFY 2)
else()
  set(CSREPLAY_FORTIFY 3)
endif()
target_compile_options(warnings INTERFACE
  $<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${CSREPLAY_FORTIFY}>)
