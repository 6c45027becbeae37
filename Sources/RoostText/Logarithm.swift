#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Returns the natural logarithm of `x`, computed by the C library.
func logarithm(_ x: Double) -> Double { log(x) }
