#ifndef ROOST_VERSION_H
#define ROOST_VERSION_H

// Returns the commit that the program was built from, as Scripts/package passes it to the compiler; an empty
// string in other builds.
const char *roost_build_commit(void);

#endif
