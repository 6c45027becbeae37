import Crypto
import Foundation
import RoostFiles

/// Computes the names of segments and objects.
struct SegmentNaming: Sendable {
    /// The key for names in an encrypted repository; `nil` if the repository is not encrypted.
    let key: SymmetricKey?

    func id(of data: Data, _ kind: SegmentKind) -> SegmentID {
        guard let key else {
            var hash = SHA256()
            hash.update(data: [kind.rawValue])
            hash.update(data: data)
            return SegmentID(hash.finalize())
        }
        var code = HMAC<SHA256>(key: key)
        code.update(data: [kind.rawValue])
        code.update(data: data)
        return SegmentID(code.finalize())
    }

    /// Returns the name of an object, which is a digest of its bytes.
    func name(of data: Data) -> String {
        guard let key else { return Hexadecimal.text(SHA256.hash(data: data)) }
        return Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: data, using: key))
    }
}
