import RoostModel

/// A check of a store's contents at one revision.
protocol StoreContentCheck: Sendable {
    /// Returns the findings. Changes no file.
    func findings(in contents: StoreContents) async throws -> [StorageFinding]
}
