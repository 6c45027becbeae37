import ArgumentParser
import Foundation
import Roost

struct TokenIDs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token-ids",
        abstract: "Reads JSON strings, one a line, and prints each text's token ids; for Scripts/compare-tokens.")

    @OptionGroup var options: ModelOptions

    func run() async throws {
        guard let model = try options.open() as? BERTEmbedder else { throw ValidationError("the model has no tokens") }
        let input = FileHandle.standardInput.readDataToEndOfFile()
        var output = ""
        for line in input.split(separator: 10) {
            let text = try JSONDecoder().decode([String].self, from: Data("[".utf8) + line + Data("]".utf8))[0]
            output += model.tokenIDs(of: text).map(String.init).joined(separator: " ") + "\n"
        }
        FileHandle.standardOutput.write(Data(output.utf8))
    }
}
