import RoostModel

/// A check of a store's files that does not require the storage to be open.
protocol StoreFileCheck: Sendable {
    /// Returns the findings. Changes no file.
    func findings(in configuration: StoreConfiguration) async throws -> [StorageFinding]
}
