#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The C library's `log`, named so that the modules above need not import it.
package func naturalLogarithm(_ x: Double) -> Double { log(x) }
