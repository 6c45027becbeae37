import CRoostKernels

/// The inner product of two vectors of equal length; for unit vectors, their cosine.
public func innerProduct(_ a: [Float], _ b: [Float]) -> Float {
    precondition(a.count == b.count, "vectors of \(a.count) and \(b.count) numbers")
    return roost_dot(a, b, a.count)
}

/// The inner product of two rows of one length.
package func innerProduct(_ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>) -> Float {
    precondition(a.count == b.count, "vectors of \(a.count) and \(b.count) numbers")
    guard let first = a.baseAddress, let second = b.baseAddress else { return 0 }
    return roost_dot(first, second, a.count)
}

/// The Euclidean length of a vector.
public func length(of vector: [Float]) -> Float {
    roost_dot(vector, vector, vector.count).squareRoot()
}

/// The vector scaled to unit length; a vector of zeros is returned as it is.
public func normalized(_ vector: [Float]) -> [Float] {
    var copy = vector
    copy.withUnsafeMutableBufferPointer { normalize($0) }
    return copy
}

/// The mean of unit vectors, scaled to unit length again; `nil` for no vectors.
///
/// Sums are taken in the order given, in Float32, so the same vectors give the same bits.
public func unitMean(of vectors: [[Float]]) -> [Float]? {
    guard var sum = vectors.first else { return nil }
    guard vectors.count > 1 else { return normalized(sum) }
    for vector in vectors.dropFirst() {
        precondition(vector.count == sum.count, "vectors of \(sum.count) and \(vector.count) numbers")
        for index in sum.indices { sum[index] += vector[index] }
    }
    return normalized(sum)
}

package func normalize(_ vector: UnsafeMutableBufferPointer<Float>) {
    guard let base = vector.baseAddress else { return }
    let square = roost_dot(base, base, vector.count)
    guard square > 0, square.isFinite else { return }
    let scale = 1 / square.squareRoot()
    for index in vector.indices { vector[index] *= scale }
}
