import ArgumentParser
import Foundation
import Roost

/// Which model a benchmark measures.
struct ModelOptions: ParsableArguments {
    @Option(help: "The folder of a model; else the installed MiniLM.")
    var model: String?

    @Option(help: "float32 or int8.")
    var precision = "float32"

    func open() throws -> any Embedder { try open(precision) }

    func open(_ precision: String) throws -> any Embedder {
        guard let precision = BERTEmbedder.Precision(rawValue: precision) else {
            throw ValidationError("--precision is float32 or int8")
        }
        let folder = model.map { URL(fileURLWithPath: $0) } ?? Material.modelFolder
        return try LocalModel.open(folder, precision: precision)
    }
}
