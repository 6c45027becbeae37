// Only the program `roost` links this target, and with it the options for its linker (see Package.swift).
typedef int roost_linkage;
