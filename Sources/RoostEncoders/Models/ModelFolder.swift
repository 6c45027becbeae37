import Crypto
package import Foundation
import RoostFiles
import RoostModel

/// A folder that contains the files of a model in the layout of sentence-transformers.
package struct ModelFolder: Sendable, Hashable {
    /// The location of the folder.
    package let url: URL

    /// The names of the files that belong to a model. Other files in the folder are ignored.
    package static let files = [
        "config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "tokenizer_config.json",
        "special_tokens_map.json", "sentence_bert_config.json", "config_sentence_transformers.json",
        "modules.json", "1_Pooling/config.json", "README.md", "LICENSE",
    ]

    /// Creates a value for an existing model folder.
    ///
    /// - Throws: `EmbedderError` with `.modelNotFound` if the folder does not exist or contains no
    ///   `config.json`.
    package init(_ url: URL) throws {
        self.url = url
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw EmbedderError(.modelNotFound, "cannot open model: the folder \(url.path) does not exist")
        }
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("config.json").path) else {
            throw EmbedderError(
                .modelNotFound, "cannot open the model in \(url.path): config.json is missing")
        }
    }

    /// The name of the folder, which is used as the name of the model.
    package var name: String { url.lastPathComponent }

    func url(_ file: String) -> URL { url.appendingPathComponent(file) }

    func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: url(file).path) }

    /// Decodes a JSON file, or returns `nil` if it does not exist.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, _ file: String) throws -> T? {
        guard has(file) else { return nil }
        let data = try contents(of: file)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw EmbedderError(
                .damagedModel,
                "\(url(file).path) is not valid JSON, or a value is missing or has the wrong type")
        }
    }

    /// Decodes a JSON file that must exist.
    func decode<T: Decodable>(_ type: T.Type, _ file: String) throws -> T {
        guard let value = try decodeIfPresent(type, file) else { throw missing(file) }
        return value
    }

    /// The maximum size of a file other than the weights. It is far larger than any real vocabulary, and
    /// limits the memory that a wrong file can use.
    private static let maximumTextFileSize = 256 << 20

    /// Returns the contents of a file other than the weights.
    func contents(of file: String) throws -> Data {
        let size = (try? FileManager.default.attributesOfItem(atPath: url(file).path))?[.size] as? Int ?? 0
        guard size <= Self.maximumTextFileSize else {
            throw EmbedderError(.damagedModel, "\(url(file).path) is larger than the maximum of 256 MB")
        }
        do {
            return try Data(contentsOf: url(file))
        } catch {
            throw EmbedderError(
                .modelNotFound, "cannot read \(url(file).path): permission denied or I/O error")
        }
    }

    /// Maps `model.safetensors`.
    func weights() throws -> Safetensors {
        guard has("model.safetensors") else { throw missing("model.safetensors") }
        do {
            return try Safetensors(url("model.safetensors"))
        } catch let error as FileError {
            throw EmbedderError(.modelNotFound, error.description)
        }
    }

    /// Returns the error for a missing file.
    func missing(_ file: String) -> EmbedderError {
        EmbedderError(.modelNotFound, "cannot open the model in \(url.path): \(file) is missing")
    }

    // MARK: The hash of the weights

    /// The hash of the weights, with the size and modification time of the file for which it was computed.
    private struct Fingerprint: Codable, Hashable {
        var sha256: String
        var size: Int
        var modifiedMilliseconds: Int64
    }

    private static let fingerprintFile = ".roost-fingerprint.json"

    /// Returns the SHA-256 of `model.safetensors` in hexadecimal, after checking that its numbers are finite.
    ///
    /// The hash is cached in a file in the same folder, with the size and modification time of the weights,
    /// so the weights do not have to be read completely each time the model is opened.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel` if a number is not finite.
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
        // If the folder is read-only, the hash cannot be cached and is computed again the next time.
        if let data = try? JSONEncoder().encode(fingerprint) {
            try? AtomicFile.write(data, to: url(Self.fingerprintFile))
        }
        return sha256
    }

    private static func hexadecimal(_ digest: SHA256.Digest) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
