import CRoostKernels

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Returns the inner product of two vectors; for unit vectors this is the cosine.
///
/// - Precondition: Both vectors have the same number of components.
package func innerProduct(_ a: [Float], _ b: [Float]) -> Float {
    precondition(a.count == b.count, "the vectors have different lengths: \(a.count) and \(b.count)")
    return roost_dot(a, b, a.count)
}

/// Returns the inner product of two rows with the same number of components.
package func innerProduct(_ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>) -> Float {
    precondition(a.count == b.count, "the vectors have different lengths: \(a.count) and \(b.count)")
    guard let first = a.baseAddress, let second = b.baseAddress else { return 0 }
    return roost_dot(first, second, a.count)
}

package func length(of vector: [Float]) -> Float { roost_dot(vector, vector, vector.count).squareRoot() }

/// Returns the vector scaled to unit length. A vector of zeros is returned unchanged.
package func normalized(_ vector: [Float]) -> [Float] {
    var copy = vector
    copy.withUnsafeMutableBufferPointer { normalize($0) }
    return copy
}

/// Returns the mean of unit vectors, scaled to unit length; `nil` if there are no vectors.
///
/// The vectors are added in the given order in Float32, so equal inputs give bit-identical results.
package func unitMean(of vectors: [[Float]]) -> [Float]? {
    guard var sum = vectors.first else { return nil }
    guard vectors.count > 1 else { return normalized(sum) }
    for vector in vectors.dropFirst() {
        precondition(
            vector.count == sum.count,
            "the vectors have different lengths: \(sum.count) and \(vector.count)")
        for index in sum.indices { sum[index] += vector[index] }
    }
    return normalized(sum)
}

/// Scales a vector to unit length in place. A vector of zeros, or one that is not finite, is left unchanged.
package func normalize(_ vector: UnsafeMutableBufferPointer<Float>) {
    guard let base = vector.baseAddress else { return }
    var square = roost_dot(base, base, vector.count)
    if !square.isNormal {
        // The squares of very large or very small components do not fit into a Float.
        guard vector.allSatisfy(\.isFinite), let largest = vector.lazy.map(abs).max(), largest > 0
        else { return }
        // The reciprocal of a very small number would be infinite.
        for index in vector.indices { vector[index] /= largest }
        square = roost_dot(base, base, vector.count)
    }
    let scale = 1 / square.squareRoot()
    for index in vector.indices { vector[index] *= scale }
}

/// Returns the natural logarithm of `x`, computed by the C library, so that other modules need not import it.
package func naturalLogarithm(_ x: Double) -> Double { log(x) }
