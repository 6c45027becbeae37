import Testing

@testable import RoostCLI

/// Tests of the display of progress.
@Suite struct ProgressTests {
    private struct Fault: Error {}

    @Test func `Work with a display returns its value, and passes on its error`() async throws {
        let progress = Progress(isQuiet: true)
        let value = try await progress.during("working") {
            progress.update(3, fraction: 0.5)
            return 7
        }
        #expect(value == 7 && progress.done == 3)
        await #expect(throws: Fault.self) { try await progress.during("failing") { throw Fault() } }
    }

    @Test func `Work that is canceled ends its display`() async {
        let task = Task {
            try await Progress(isQuiet: true).during("waiting") { try await Task.sleep(for: .seconds(60)) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
