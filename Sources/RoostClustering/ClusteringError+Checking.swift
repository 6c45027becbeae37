import RoostVectors

extension ClusteringError {
    /// Checks that a property of a clusterer is in its range.
    ///
    /// - Parameter rule: The rule that the property violates if `condition` is false.
    /// - Throws: ``ClusteringError`` with `.invalidParameter`.
    static func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws(ClusteringError) {
        if !condition { throw ClusteringError(.invalidParameter, "cannot cluster: \(rule())") }
    }

    /// Checks that all components of vectors are finite. Otherwise, similarities could not be compared.
    ///
    /// - Throws: ``ClusteringError`` with `.notFinite`.
    static func requireFinite(_ vectors: Matrix) throws(ClusteringError) {
        guard vectors.isFinite else {
            throw ClusteringError(
                .notFinite, "cannot cluster: a vector has a component that is infinite or not a number")
        }
    }
}
