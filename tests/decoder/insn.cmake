# Instruction classes and the following of code.
unit_test(test_insn_a64 decoder PkgConfig::CAPSTONE)
unit_test(test_follow decoder)
