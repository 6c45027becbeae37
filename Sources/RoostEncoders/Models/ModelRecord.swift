import Foundation
import RoostFiles
import RoostModel

/// The checksums of a model's files and the vector of a fixed text, recorded when the model is opened for the
/// first time. Later, they show whether a file has been damaged or replaced.
struct ModelRecord: Codable, Hashable, Sendable {
    /// The name of the file in the model's folder that contains the record.
    static let fileName = ".roost-fingerprint.json"

    /// The SHA-256 of the weights in hexadecimal.
    var sha256: String
    /// The size of the weights in bytes.
    var size: Int
    /// The time of the last modification of the weights, in milliseconds since 1970.
    var modifiedMilliseconds: Int64
    /// The time of the last change of the weights' inode, in nanoseconds since 1970. Unlike the modification
    /// time, programs cannot set it. `nil` in the records of older versions.
    var changedNanoseconds: Int64?
    /// The number of the weights' inode.
    var inode: UInt64?
    /// The CRC-32C of the weights, which takes a tenth of the time of the SHA-256.
    var crc32c: UInt32?
    /// The SHA-256 of every other file that affects vectors, keyed by name.
    var files: [String: String]?
    /// The vectors of the fixed text as Base64 of little-endian Float32, keyed by precision.
    var probes: [String: String]?

    /// The files whose contents do not affect vectors.
    private static let documentation: Set<String> = ["README.md", "LICENSE"]
    static let weightsName = "model.safetensors"

    /// Returns the SHA-256 of every file in a folder that affects vectors, except the weights.
    static func digests(in folder: ModelFolder) throws -> [String: String] {
        var digests: [String: String] = [:]
        for name in ModelFolder.files
        where name != weightsName && !documentation.contains(name) && folder.has(name) {
            digests[name] = SHA256.hexadecimal(try folder.contents(of: name))
        }
        return digests
    }

    /// Returns the recorded vector of the fixed text; `nil` if no vector is recorded.
    func probe(_ precision: String) -> [Float]? {
        guard let text = probes?[precision], let data = Data(base64Encoded: text), data.count % 4 == 0
        else { return nil }
        return (0..<data.count / 4).map { index in
            Float(
                bitPattern: (0..<4).reduce(0) {
                    $0 | UInt32(data[data.startIndex + 4 * index + $1]) << UInt32(8 * $1)
                })
        }
    }

    mutating func setProbe(_ vector: [Float], _ precision: String) {
        let bytes = vector.flatMap { number in
            withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
        }
        probes = (probes ?? [:]).merging([precision: Data(bytes).base64EncodedString()]) { $1 }
    }
}
