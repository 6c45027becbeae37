public import Foundation
import RoostFiles
public import RoostModel

/// A folder that contains the files of a model in the layout of sentence-transformers.
package struct ModelFolder: Sendable, Hashable {
    package let url: URL

    /// The names of the files that belong to a model. Other files in the folder are ignored.
    package static let files = [
        "config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "tokenizer_config.json",
        "special_tokens_map.json", "sentence_bert_config.json", "config_sentence_transformers.json",
        "modules.json", "1_Pooling/config.json", "README.md", "LICENSE",
    ]

    /// Creates a value for an existing model folder.
    package init(_ url: URL) throws {
        self.url = url
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw EmbedderError(.modelNotFound, "cannot open model: the folder \(url.path) does not exist")
        }
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("config.json").path) else {
            throw missing("config.json")
        }
    }

    package var name: String { url.lastPathComponent }

    func url(_ file: String) -> URL { url.appendingPathComponent(file) }

    func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: url(file).path) }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, _ file: String) throws -> T? {
        guard has(file) else { return nil }
        let data = try contents(of: file)
        do {
            return try JSONDecoder.ofModels.decode(type, from: data)
        } catch {
            throw damaged("\(file) is not valid JSON, or a value is missing or has the wrong type")
        }
    }

    func decode<T: Decodable>(_ type: T.Type, _ file: String) throws -> T {
        guard let value = try decodeIfPresent(type, file) else { throw missing(file) }
        return value
    }

    /// The maximum size of a file other than the weights. It is far larger than any real vocabulary, and
    /// limits the memory that a wrong file can use.
    private static let maximumTextFileSize = 256 << 20

    func contents(of file: String) throws -> Data {
        // `FileManager` would also look up the names of the file's owner and group.
        var status = stat()
        let size = stat(url(file).path, &status) == 0 ? Int(status.st_size) : 0
        guard size <= Self.maximumTextFileSize else {
            throw damaged("\(file) is larger than the maximum of 256 MB")
        }
        do {
            return try Data(contentsOf: url(file))
        } catch {
            throw EmbedderError(
                .modelNotFound, "cannot read \(url(file).path): permission denied or an I/O error")
        }
    }

    func weights() throws -> Safetensors {
        guard has("model.safetensors") else { throw missing("model.safetensors") }
        do {
            return try Safetensors(url("model.safetensors"))
        } catch let error as FileError {
            throw EmbedderError(.modelNotFound, error.description)
        }
    }

    func missing(_ file: String) -> EmbedderError {
        EmbedderError(.modelNotFound, "cannot open the model in \(url.path): \(file) is missing")
    }

    func damaged(_ fault: String) -> EmbedderError {
        EmbedderError(
            .damagedModel, "the model in \(url.path) is damaged: \(fault)", remedy: .installModel)
    }

    var overflow: EmbedderError { damaged("it computes numbers that are not finite") }

    func require(_ condition: Bool, _ setting: String) throws {
        guard condition else { throw unsupported(setting) }
    }

    func unsupported(_ setting: String) -> EmbedderError {
        EmbedderError(
            .unsupportedModel, "cannot open the model in \(url.path): \(setting) is not supported")
    }
}

/// Opens embedding models in local folders.
public enum LocalModel {
    /// Opens the model in a folder: a BERT model in the layout of sentence-transformers, or a static model in
    /// the layout of Model2Vec.
    ///
    /// - Parameters:
    ///   - folder: The model folder.
    ///   - precision: The precision of the layers of a BERT model. A static model supports only `.float32`,
    ///     because its precision was chosen when it was created.
    /// - Throws: `EmbedderError` that names the file and the problem.
    public static func open(_ folder: URL, precision: BERTEmbedder.Precision = .float32) throws
        -> any Embedder
    {
        let files = try ModelFolder(folder)
        guard try StaticEmbedder.describes(files) else {
            return try BERTEmbedder(folder: folder, precision: precision)
        }
        guard precision == .float32 else {
            throw files.unsupported("precision \(precision.rawValue) of a static model, which has its own,")
        }
        return try StaticEmbedder(folder: folder)
    }
}

extension JSONDecoder {
    /// A decoder of the files of models, whose keys are in snake case.
    static var ofModels: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
