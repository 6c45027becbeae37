import ArgumentParser
import Foundation
import Roost
import RoostEncoders

struct TokenIDs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token-ids",
        abstract: "Print the token ids of texts; used by Scripts/compare-tokens.",
        discussion: "Reads one JSON string per line from standard input.")

    @OptionGroup var options: ModelOptions

    func run() async throws {
        let model = try options.open()
        let input = FileHandle.standardInput.readDataToEndOfFile()
        var output = ""
        for line in input.split(separator: 10) {
            let text = try JSONDecoder().decode([String].self, from: Data("[".utf8) + line + Data("]".utf8))[
                0]
            guard let ids = (model as? BERTEmbedder)?.tokenIDs(of: text) else {
                throw ValidationError("the model has no WordPiece tokenizer")
            }
            output += ids.map(String.init).joined(separator: " ") + "\n"
        }
        FileHandle.standardOutput.write(Data(output.utf8))
    }
}
