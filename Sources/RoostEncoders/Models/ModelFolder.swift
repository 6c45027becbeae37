import Crypto
public import Foundation
import RoostFiles
import RoostModel

/// A folder in the layout of sentence-transformers: what is in it, and what it is.
public struct ModelFolder: Sendable, Hashable {
    public let url: URL

    /// The files that a model consists of; others in the folder are not read.
    public static let files = [
        "config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "tokenizer_config.json",
        "special_tokens_map.json", "sentence_bert_config.json", "config_sentence_transformers.json",
        "modules.json",
        "1_Pooling/config.json", "README.md", "LICENSE",
    ]

    /// - Throws: ``EmbedderError`` with `.modelNotFound` where there is no folder or it has no `config.json`.
    public init(_ url: URL) throws {
        self.url = url
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw EmbedderError(.modelNotFound, "\(url.path): there is no such folder")
        }
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("config.json").path) else {
            throw EmbedderError(.modelNotFound, "\(url.path) is no model folder: it has no config.json")
        }
    }

    /// The folder's name, which is the model's for people.
    public var name: String { url.lastPathComponent }

    func url(_ file: String) -> URL { url.appendingPathComponent(file) }

    func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: url(file).path) }

    /// A file that may be missing, decoded.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, _ file: String) throws -> T? {
        guard has(file) else { return nil }
        let data = try contents(of: file)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw EmbedderError(.damagedModel, "\(url(file).path) is not the JSON that was expected")
        }
    }

    func decode<T: Decodable>(_ type: T.Type, _ file: String) throws -> T {
        guard let value = try decodeIfPresent(type, file) else { throw missing(file) }
        return value
    }

    /// No vocabulary or configuration is larger.
    private static let largestText = 256 << 20

    /// The bytes of a file that is no weights.
    func contents(of file: String) throws -> Data {
        let size = (try? FileManager.default.attributesOfItem(atPath: url(file).path))?[.size] as? Int ?? 0
        guard size <= Self.largestText else {
            throw EmbedderError(.damagedModel, "\(url(file).path) is larger than 256 MB")
        }
        do {
            return try Data(contentsOf: url(file))
        } catch {
            throw EmbedderError(
                .modelNotFound, "\(url(file).path) cannot be read: permission denied or an I/O error")
        }
    }

    /// `model.safetensors`, mapped.
    func weights() throws -> Safetensors {
        guard has("model.safetensors") else { throw missing("model.safetensors") }
        do {
            return try Safetensors(url("model.safetensors"))
        } catch let error as FileError {
            throw EmbedderError(.modelNotFound, error.description)
        }
    }

    func missing(_ file: String) -> EmbedderError {
        EmbedderError(.modelNotFound, "the model in \(url.path) has no \(file)")
    }

    // MARK: The hash of the weights

    /// What the weights' hash was when the file had this size and date.
    private struct Fingerprint: Codable, Hashable {
        var sha256: String
        var size: Int
        var modifiedMilliseconds: Int64
    }

    private static let fingerprintFile = ".roost-fingerprint.json"

    /// SHA-256 of `model.safetensors`, in hexadecimal, after a look whether its numbers are finite.
    /// Remembered beside the file (where that may be written) with its size and date, so that opening a model
    /// need not read 90 MB.
    func weightsHash(of weights: Safetensors) throws -> String {
        let (modified, size) = (weights.file.modifiedMilliseconds, weights.file.bytes.count)
        if let known = try? JSONDecoder().decode(
            Fingerprint.self, from: Data(contentsOf: url(Self.fingerprintFile))),
            known.size == size, known.modifiedMilliseconds == modified
        {
            return known.sha256
        }
        try weights.checkNumbers()
        let sha256 = Self.hexadecimal(SHA256.hash(data: weights.file.bytes))
        guard let modified else { return sha256 }
        let fingerprint = Fingerprint(sha256: sha256, size: size, modifiedMilliseconds: modified)
        // A folder that may not be written costs a hash at each opening, nothing else.
        if let data = try? JSONEncoder().encode(fingerprint) {
            try? AtomicFile.write(data, to: url(Self.fingerprintFile))
        }
        return sha256
    }

    private static func hexadecimal(_ digest: SHA256.Digest) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
