import Foundation
import RoostFiles

/// Computes the names of segments and objects.
struct SegmentNaming: Sendable {
    /// The key for names in an encrypted repository; `nil` if the repository is not encrypted.
    let key: EncryptionKey?

    func id(of data: Data, _ kind: SegmentKind) -> SegmentID {
        guard let key else {
            let hash = SHA256()
            hash.update([kind.rawValue])
            hash.update(data)
            return SegmentID(hash.finalize())
        }
        return SegmentID(SHA256.authenticationCode(of: [kind.rawValue] + data, key: key.bytes))
    }

    /// Returns the name of an object, which is a digest of its bytes.
    func name(of data: Data) -> String {
        guard let key else { return SHA256.hexadecimal(data) }
        return Hexadecimal.text(SHA256.authenticationCode(of: data, key: key.bytes))
    }
}
