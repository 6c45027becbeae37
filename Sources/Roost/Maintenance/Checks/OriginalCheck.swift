import Foundation
import RoostModel

/// Compares original files with their digests.
struct OriginalCheck: StoreContentCheck {
    func findings(in contents: StoreContents) async throws -> [StorageFinding] {
        let originals = OriginalStore(of: contents.directory)
        let manifest = try? StoreManifest.read(in: contents.directory)
        if manifest?.hasOriginals == true, !originals.exists {
            return [
                .damage(
                    originals.folder.path,
                    "is missing, and with it the original files; restore the folder from a copy or a backup",
                    remedy: "continues without them; an original file is stored again when the file is "
                        + "ingested with its original")
            ]
        }
        return try await originals.damaged().map { damage in
            .damage(
                damage.path, "is a damaged original file: \(damage.reason)",
                remedy: "moves it aside; it is stored again when the file is ingested with its original")
        }
    }
}
