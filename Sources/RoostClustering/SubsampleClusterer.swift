package import RoostVectors

/// A clusterer that can be applied to a subsample of the vectors, to measure the stability of its groups.
package protocol SubsampleClusterer: Clusterer {
    /// Returns a clusterer that finds the same groups in a random part of the vectors.
    ///
    /// - Parameters:
    ///   - share: The share of the vectors in the part, 0 to 1.
    ///   - count: The number of vectors in the part.
    /// - Returns: `nil` if the part has too few vectors to find the groups.
    func forSubsample(share: Double, count: Int) -> (any Clusterer)?
}

extension SphericalKMeans: SubsampleClusterer {
    /// The minimum mean number of vectors per group in a subsample with more than ``smallCount`` vectors. It
    /// limits the time.
    private static let minimumMeanSize = 20
    private static let smallCount = 1000
    /// The settings for subsamples, which are clustered many times.
    private static let (subsampleRestarts, subsampleIterations) = (2, 20)

    package func forSubsample(share: Double, count: Int) -> (any Clusterer)? {
        guard let clusters, clusters <= count,
            clusters * Self.minimumMeanSize <= count || count <= Self.smallCount
        else { return nil }
        return SphericalKMeans(
            clusters: clusters, seed: seed, restarts: Self.subsampleRestarts,
            maximumIterations: Self.subsampleIterations)
    }
}

extension HDBSCAN: SubsampleClusterer {
    package func forSubsample(share: Double, count: Int) -> (any Clusterer)? {
        // The sizes of the groups shrink with the share of the vectors.
        func scaled(_ size: Int) -> Int { Int((Double(min(size, Int(Int32.max))) * share).rounded()) }
        guard scaled(minimumSize) >= 2 else { return nil }
        var result = self
        result.minimumSize = scaled(minimumSize)
        result.minimumSamples = max(1, scaled(minimumSamples))
        return result
    }
}
