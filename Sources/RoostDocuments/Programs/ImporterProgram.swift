public import Foundation
import RoostFiles

/// A program that reads an export of another program and writes a row of JSON Lines for each text.
///
/// It runs without a shell and gets the absolute path of the export as its only argument. It sees `PATH`, and no other
/// variable of the environment.
public struct ImporterProgram: Sendable, Hashable {
    /// The name of the importer, such as `keep`.
    public let name: String
    private let program: String

    /// The output of a run.
    public struct Output: Sendable, Hashable {
        /// The rows.
        public var rows: Data
        /// The first bytes of the messages on standard error.
        public var messages: String
        /// The exit status. If it is not 0, the program did not read the export to its end.
        public var status: Int32
    }

    /// The maximum time of a run. An export is larger than a document.
    private static let maximumTime = Duration.seconds(1800)
    private static let maximumMessage = 64 << 10

    /// Finds an importer: `roost-import-NAME` or `NAME.py` in a folder of importers, or `roost-import-NAME` in a folder
    /// of `PATH`.
    ///
    /// - Parameters:
    ///   - name: Its name in lowercase letters, digits and hyphens.
    ///   - folders: The folders of importers: the first precedes `PATH`, the others follow.
    /// - Returns: `nil` if the name is invalid, or if no program has it.
    public init?(_ name: String, in folders: [URL]) {
        guard name.wholeMatch(of: #/[a-z0-9-]+/#) != nil else { return nil }
        let command = "roost-import-\(name)"
        func path(in folder: URL) -> String? {
            [command, "\(name).py"].lazy.compactMap {
                ProgramRunner.path(of: folder.appendingPathComponent($0).path)
            }.first
        }
        guard
            let program = folders.first.flatMap(path) ?? ProgramRunner.path(of: command)
                ?? folders.dropFirst().lazy.compactMap(path).first
        else { return nil }
        (self.name, self.program) = (name, program)
    }

    /// Reads an export.
    ///
    /// - Throws: ``DocumentError`` if the program cannot be started or exceeds a limit; `CancellationError`, after the
    ///   program was killed.
    public func run(_ export: URL) async throws -> Output {
        try await BlockingWork.run { isCancelled in
            var limits = DocumentLimits()
            limits.maximumTime = Self.maximumTime
            limits.maximumProgramMemory = ConverterReader.maximumMemory
            let runner = ProgramRunner(
                folder: try PrivateFolder(), limits: limits, searchPath: ProgramRunner.searchPath,
                maximumMessage: Self.maximumMessage, isCancelled: isCancelled)
            let result = try runner.run(
                program, [export.path], deadline: .now + limits.maximumTime,
                maximumOutput: limits.maximumArchiveBytes)
            return Output(rows: result.output, messages: result.message, status: result.status)
        }
    }
}
