import Foundation
import RoostFiles
import RoostModel

/// Reads files of one extension with a program that gets the path of a copy of the file as its last argument,
/// and writes Markdown in UTF-8 to its standard output.
///
/// The program runs without a shell and with the limits of ``DocumentLimits``. Its folders of programs are
/// those of `PATH`; it sees no other variable of the environment.
public struct ConverterReader: DocumentReader {
    let command: [String]

    public let types: [DocumentType]

    /// Converters need more memory than the programs for PDF. Those with a garbage collector reserve it.
    static let maximumMemory = 8 << 30

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - fileExtension: The extension of the files, without the full stop.
    ///   - command: The name or absolute path of the program, and its first arguments, which white space
    ///     separates.
    public init(fileExtension: String, command: String) {
        self.command = command.split(whereSeparator: \.isWhitespace).map(String.init)
        let fileExtension = fileExtension.lowercased()
        // The name is part of the fingerprint of a source, so another command or version of the program reads
        // the file again.
        let program = self.command.first.flatMap(ProgramRunner.path)
        let attributes = program.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
        let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970
        let state = [attributes?[.size] as? Int, date.map { Int($0) }]
        let identity = "\(self.command) \(state.map { $0 ?? 0 })"
        types = [
            DocumentType(
                name: "converter-\(fileExtension)-\(ContentDigest(of: identity).hexadecimal.prefix(16))",
                title: "\(fileExtension.uppercased()), with \(self.command.first ?? "")",
                extensions: [fileExtension])
        ]
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try await BlockingWork.run { isCancelled in
            let text = try withoutActuallyEscaping(isCancelled) { try convert(input, isCancelled: $0) }
            return [MarkdownReader.document(text, input: input)]
        }
    }

    private func convert(_ input: DocumentInput, isCancelled: @escaping () -> Bool) throws -> String {
        guard let name = command.first, let program = ProgramRunner.path(of: name) else {
            throw DocumentError.missingProgram(
                "the program \(command.first ?? "") of its converter is not installed")
        }
        let label = (name as NSString).lastPathComponent
        let folder = try PrivateFolder()
        // The program never sees the name of the file, which could look like an option.
        let file = try folder.write(input.data, to: "document.\(types[0].extensions.first ?? "")")
        var limits = input.limits
        limits.maximumProgramMemory = max(limits.maximumProgramMemory, Self.maximumMemory)
        let runner = ProgramRunner(
            folder: folder, limits: limits, searchPath: ProgramRunner.searchPath, isCancelled: isCancelled)
        let result = try runner.run(
            program, command.dropFirst() + [file], deadline: .now + limits.maximumTime,
            maximumOutput: limits.maximumTextBytes)
        guard result.status == 0 else {
            let line = MarkdownText.singleLine(result.message).prefix(200)
            throw DocumentError.damaged(
                "its converter \(label) failed with exit status \(result.status)"
                    + (line.isEmpty ? "" : ": \(line)"))
        }
        guard let text = String(validating: result.output, as: UTF8.self) else {
            throw DocumentError.damaged("the output of its converter \(label) is not UTF-8")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw DocumentError.noText("its converter \(label) wrote no text")
        }
        return text
    }
}

extension DocumentReaders {
    /// Returns the readers with one for each converter, which precede the others.
    ///
    /// - Parameter converters: The commands by the extensions of the files.
    public func adding(converters: [String: String]) -> DocumentReaders {
        let added = converters.sorted { $0.key < $1.key }.map {
            ConverterReader(fileExtension: $0.key, command: $0.value)
        }
        return DocumentReaders(added + readers, worker: worker)
    }
}
