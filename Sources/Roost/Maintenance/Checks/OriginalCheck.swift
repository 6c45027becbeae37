import RoostModel

/// Compares original files with their digests.
struct OriginalCheck: StoreContentCheck {
    func findings(in contents: StoreContents) async throws -> [StorageFinding] {
        try await OriginalStore(of: contents.directory).damaged().map { damage in
            .damage(
                damage.path, "is a damaged original file: \(damage.reason)",
                remedy: "moves it aside; it is stored again when the file is ingested with its original")
        }
    }
}
