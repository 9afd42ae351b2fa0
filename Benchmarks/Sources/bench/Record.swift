// The results of a run: build/bench.json with every reading, and docs/benchmarks.md for readers.
import Foundation

struct Record {
  let rows: [Row]
  let settings: Settings
  let machine: Machine
  private let date = Date.now.formatted(.iso8601.year().month().day())

  init(rows: [Row], settings: Settings, machine: Machine) {
    self.rows = rows
    self.settings = settings
    self.machine = machine
  }

  func json() throws -> Data {
    struct Entry: Encodable {
      let name, text, unit, verdict: String
      let ours, peer, ratio: Double?
      let oursAll, peerAll: [Double]
      let peerName, bar, problem: String?
    }
    struct File: Encodable {
      let date: String
      let machine: [String: String]
      let rounds: Int
      let rows: [Entry]
    }
    let entries = rows.map {
      Entry(
        name: $0.question.name, text: $0.question.text, unit: $0.question.quantity.unit,
        verdict: $0.verdict.rawValue, ours: $0.ours, peer: $0.peer, ratio: $0.ratio, oursAll: $0.oursAll,
        peerAll: $0.peerAll, peerName: $0.question.peer?.label, bar: $0.question.bar?.text,
        problem: $0.problem)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(
      File(
        date: date, machine: Dictionary(uniqueKeysWithValues: machine.facts.map { ($0.name, $0.value) }),
        rounds: settings.rounds, rows: entries))
  }

  func markdown() -> String {
    """
    # Benchmark results

    Written by `make bench` on \(date); do not edit by hand. On another machine, compare only the ratios.

    \(Record.table(["", ""], machine.facts.map { [$0.name, $0.value] }))

    ## Rows with a target

    \(Record.table(Record.columns, rows.filter { $0.question.bar != nil }.map(Record.cells)))

    ## Rows for comparison

    \(Record.table(Record.columns, rows.filter { $0.question.bar == nil }.map(Record.cells)))

    ## How this is measured

    - Every value is the median of \(settings.rounds) rounds. The programs of a row run alternately (A B A B), in one
      run, on one machine. A ratio is our value divided by the peer's.
    - Each client is a complete program, built for release (`swift build -c release`, `gcc -O2`, `go build`). It runs
      for \(short(settings.seconds)) seconds per round if the work has no natural end. CPU is the user and system time
      of the complete process, including its start.
    - The server is nginx from Debian with one worker on the loopback interface, without an access log, and with
      persistent connections. It sends a file of 1 KiB, of 1 GiB, or of 512 MiB with 100-byte lines.
    - *FoundationNetworking* is the same Swift source as ours with another import. *C, libcurl multi* is
      `Benchmarks/peers/curl_client.c`: epoll, `curl_multi_socket_action`, reused easy handles. *Go* is
      `Benchmarks/peers/go/main.go`. *curl* is the command, with `-o /dev/null`, or for `download` with `-o FILE` in
      the same folder. *wrk* and *h2load* are load generators without an HTTP library: they show the upper limit.
    - `download` writes its file to memory (`/dev/shm`) if there is room, so that the disk is not measured. The program
      deletes the file after the measurement.
    - https is TLS 1.3 with an ECDSA P-256 certificate. HTTP/1.1 and HTTP/2 use separate ports. Every client trusts
      one file: the system's \(Authority.systemBundle) and the authority of this run. libcurl parses that file once
      in the C client (`CURLOPT_CAPATH` is null). Rows with the *system's trust store* measure Retriever without that
      setting: a preloaded library (`Benchmarks/peers/system_store.c`) adds the authority to the system's file.
    - New TLS connections: the server closes each connection after its response. It reports with each response
      whether the TLS session was resumed; for full handshakes it keeps no sessions and sends no tickets. The C
      client keeps its sessions in a share handle.
    - Queued loads use the default of 6 connections and start at the same time. Batches of 1,000 loads repeat until the
      round is over.
    - The stalled look-up is `Benchmarks/peers/stalled_lookup.c`, a preloaded `getaddrinfo`. At the same time,
      four tasks in two sessions load a page every millisecond, and each session looks up another name.
      `lookup.delay` is the slowest of these loads, minus the slowest without a stall.
    - Memory above start is the maximum resident size minus the size at the start of `main`.
    - Held requests: `Benchmarks/peers/holder.c` reads every request, and answers none until all have arrived. The
      threads and the resident memory of the client are read from `/proc` at that time.

    - Pictures are drawn by `Sources/TestSupport/Pictures` and encoded by Pillow: JPEG of quality 85 and 4:2:0, WebP of
      quality 80. A thumbnail is made of a file in memory, fits into \(Measurement.thumbnailSize) pixels, and is
      encoded as a JPEG of quality 80. CPU is the time of the loop alone. *libvips* and *Pillow* are
      `Benchmarks/peers/thumbnail.py`, libvips scaling as encoded (gamma) or in linear light; *decode only* is
      `Benchmarks/peers/jpeg_decode.c` at the scale that keeps twice the thumbnail's width.
    - Points are SSIMULACRA2 scores, compared with a Lanczos thumbnail of all pixels in floating point and linear
      light. 100 means no difference. For points, the ratio column shows the difference.

    - A picture that is still arriving comes from `Benchmarks/peers/trickle.c`, which reports when it wrote its last byte.
      A half-done thumbnail is cancelled after half the time of a complete one. Its memory is free when the allocator
      (`mallinfo2`) uses no more than before.
    - The thumbnail server is `Benchmarks/Sources/bench-thumbnails`. Like thumbor, it fetches each picture from nginx on
      the same machine, and keeps neither pictures nor thumbnails. `bench-images load` checks every response. thumbor
      runs with pycurl, as one process and as two, without threads for images; the better result counts. CPU is the
      time of the server's processes.

    - Kennel is `kennel serve` with users and \(KennelData.postsPerPicture * KennelData.pictures.count) imported photos. `wrk` sends requests to Kennel and nginx
      on one thread. nginx sends Kennel's response as a file. Consecutive hearts belong to different users. Each changes
      something, and is on the disk before the response. The photos of new thumbnails differ only in a comment, and
      the disk cache is empty. thumbor reads the same files, and keeps nothing. `Benchmarks/peers/crowd.c` listens to
      events. *libmicrohttpd alone* is `Benchmarks/peers/stream.c`, which greets and holds as many connections, with
      the same memory limit for each. For memory and threads, the ratio column shows the difference.

    - `Adopt/Sources/bench-adopt` runs `adopt check` and SwiftParser alone on this repository's sources, from memory and
      on all processors.

    Run `make bench` to repeat the measurement, or `ONLY=get64 make bench` for some of the rows.

    """
  }

  private static let columns = ["Row", "What", "Ours", "Peer", "", "Ratio", "Target", ""]

  private static func cells(_ row: Row) -> [String] {
    let cells = row.cells
    let peer = row.question.peer?.label ?? "-"
    return ["`\(cells[0])`", row.question.text, cells[1], peer, cells[2], cells[3], cells[4], cells[5]]
  }

  private static func table(_ heading: [String], _ rows: [[String]]) -> String {
    ([heading, heading.map { _ in "---" }] + rows)
      .map { "| " + $0.joined(separator: " | ") + " |" }
      .joined(separator: "\n")
  }
}
