import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A group of threads that together execute a sequence of short steps, one step after another.
///
/// The team suits work of about a millisecond whose steps take about ten microseconds each, such as the
/// forward pass of one text. Waking a thread for each step would take longer than the step, so helper
/// threads spin between steps until `run` returns. The calling thread does not wait for helpers that have not
/// started: it executes their parts itself.
package final class ThreadTeam: Sendable {
    package typealias Part = @Sendable (Int) -> Void

    /// The work of one step, boxed so that its address can be passed between threads.
    private final class Step: Sendable {
        let body: Part
        init(_ body: @escaping Part) { self.body = body }
    }

    /// The step's sequence number (32 bits), its number of parts (16) and the number of parts that threads
    /// have taken (16). They are packed into one word, so a late helper cannot take a part of a step other
    /// than the one it has read.
    private let ticket = Atomic<UInt64>(0)
    private let done = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let step: Atomic<UInt> = Atomic(0)
    package let threads: Int

    private init(threads: Int) { self.threads = threads }

    /// Calls `body` with a team, on the calling thread, and dissolves the team when `body` returns.
    package static func run<Result>(threads: Int, _ body: (ThreadTeam) throws -> Result) rethrows -> Result {
        let team = ThreadTeam(threads: max(1, threads))
        for _ in 1..<team.threads { DispatchQueue.global(qos: .userInitiated).async { team.help() } }
        defer { team.isOver.store(true, ordering: .releasing) }
        return try body(team)
    }

    /// Calls `body` once for each of `0..<parts`, in any order, and returns when all calls have returned.
    ///
    /// - Precondition: The caller is the thread that `run` runs on, and `parts < 65536`.
    package func forEach(_ parts: Int, _ body: @escaping Part) {
        precondition(parts < 1 << 16, "a step must have fewer than 65,536 parts, not \(parts)")
        guard threads > 1, parts > 1 else {
            for part in 0..<parts { body(part) }
            return
        }
        let current = Step(body)
        let number = (ticket.load(ordering: .relaxed) >> 32) &+ 1
        done.store(0, ordering: .relaxed)
        withExtendedLifetime(current) {
            step.store(UInt(bitPattern: Unmanaged.passUnretained(current).toOpaque()), ordering: .releasing)
            ticket.store(number << 32 | UInt64(parts) << 16, ordering: .releasing)
            while take(number & 0xFFFF_FFFF) {}
            var spins = 0
            while done.load(ordering: .acquiring) < parts { Self.pause(&spins) }
        }
    }

    /// Takes one part of step `number` and executes it.
    private func take(_ number: UInt64) -> Bool {
        var seen = ticket.load(ordering: .acquiring)
        while true {
            let (parts, taken) = (seen >> 16 & 0xFFFF, seen & 0xFFFF)
            guard seen >> 32 == number, taken < parts else { return false }
            let address = step.load(ordering: .acquiring)
            let (exchanged, original) = ticket.compareExchange(
                expected: seen, desired: seen + 1, ordering: .acquiringAndReleasing)
            guard exchanged else {
                seen = original
                continue
            }
            // This thread owns the part, so the step cannot end and free its body before the part is done.
            if let pointer = UnsafeRawPointer(bitPattern: address) {
                Unmanaged<Step>.fromOpaque(pointer).takeUnretainedValue().body(Int(taken))
            }
            done.add(1, ordering: .releasing)
            return true
        }
    }

    private func help() {
        var spins = 0
        while !isOver.load(ordering: .acquiring) {
            if take(ticket.load(ordering: .acquiring) >> 32) { spins = 0 } else { Self.pause(&spins) }
        }
    }

    /// Counts a spin. Every 256 spins, yields the processor, because the awaited thread may need it.
    private static func pause(_ spins: inout Int) {
        spins += 1
        if spins % 256 == 0 { sched_yield() }
    }
}
