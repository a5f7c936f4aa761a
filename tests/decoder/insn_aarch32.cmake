# Instruction classes of A32 and T32.
unit_test(test_insn_a32 decoder PkgConfig::CAPSTONE)
unit_test(test_insn_t32 decoder PkgConfig::CAPSTONE)
