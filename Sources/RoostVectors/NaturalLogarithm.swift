#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Returns the natural logarithm of `x`, computed by the C library, so that other modules need not import it.
package func naturalLogarithm(_ x: Double) -> Double { log(x) }
