import Foundation

/// The durations of repeated calls.
struct CallTimes {
    private var wall: [Double] = []
    private var processor: [Double] = []

    /// The processor time that the process has used so far, in seconds.
    static var processorSeconds: Double {
        var usage = rusage()
        getrusage(0, &usage)  // RUSAGE_SELF
        return seconds(usage)
    }

    /// Returns the user and system time in seconds.
    static func seconds(_ usage: rusage) -> Double {
        Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    /// Adds the duration of a call.
    mutating func measure(_ body: () async throws -> Void) async rethrows {
        let before = Self.processorSeconds
        wall.append(try await Material.seconds(body))
        processor.append(Self.processorSeconds - before)
    }

    /// Prints the minimum, the median and the 95th percentile of the durations and of the processor times.
    func report(_ name: String) {
        for (kind, times) in [("", wall), (", processor time", processor)] {
            let sorted = times.sorted().map { $0 * 1000 }
            guard let first = sorted.first else { continue }
            Material.line("\(name)\(kind): minimum", first, "ms")
            Material.line("\(name)\(kind): median", sorted[sorted.count / 2], "ms")
            Material.line("\(name)\(kind): 95th percentile", sorted[sorted.count * 95 / 100], "ms")
        }
    }
}
