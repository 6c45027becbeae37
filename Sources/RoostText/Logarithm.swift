#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The C library's natural logarithm.
func logarithm(_ x: Double) -> Double { log(x) }
