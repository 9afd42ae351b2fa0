#if !canImport(Darwin)
import CHTTP2Tap
import CTransferMemory
import Foundation
import TestSupport
import Testing

@testable import Retriever
@testable import TransferEngine

/// The table of limits in docs/architecture.md has the numbers of the code.
@Suite struct LimitsTableTests {
  /// The windows of these formats, which no constant of ours changes: 2^15 bytes (zlib) and 2^24 bytes (RFC 7932).
  private static let (deflateWindow, brotliWindow) = (1 << 15, 1 << 24)

  private static let rows: [(name: String, numbers: [Int])] = [
    ("threads", [EventLoopGroup.maximumLoops, NameService.maximumThreads]),
    ("connections", [TransferClientOptions().connectionsPerHost, ClientCore.maximumIdleConnections]),
    (
      "loads that run at the same time",
      [
        LoadScheduler.streamsPerConnection, Int(ConnectionGrowth.defaultPeriod / .milliseconds(1)),
        LoadScheduler.maximumSharedPlaces,
      ]
    ),
    ("servers that a session remembers", [LoadScheduler.maximumDestinations]),
    (
      "repetitions of a request",
      [RetryRule.maximumRepeats, RetryRule.maximumRefusals, RetryRule.maximumUnsent]
    ),
    (
      "host names",
      [
        NameService.maximumEntries, Int(NameService.lifetime.components.seconds),
        NameService.maximumAddresses,
      ]
    ),
    ("trust stores", [TrustStores.maximumStores, TrustStores.maximumFileBytes]),
    ("idle handles", [ClientCore.maximumIdleHandles]),
    (
      "servers whose HTTP/3 is remembered",
      [
        HTTP3Servers.maximumServers, AlternativeServiceField.maximumServices,
        AlternativeServiceField.maximumBytes,
      ]
    ),
    (
      "libcurl's receive buffer",
      [Int(retriever_receive_bytes), EasyHandle.longBodyBytes, Int(retriever_stream_receive_bytes)]
    ),
    ("a response's header lines, interim responses included", [TransferLimits().headerBytes]),
    (
      "interim responses (1xx)",
      [TransferLimits().informationalResponses, ResumableUpload.maximumInterimResponses]
    ),
    (
      "resumptions of an upload by its task",
      [ResumableUploadStateMachine.maximumFruitlessAttempts, ResumableUploadStateMachine.maximumAttempts]
    ),
    (
      "a body that is being decoded",
      [
        BodyDecoder.maximumCodings, BodyDecoder.maximumPieceSize, deflateWindow, brotliWindow,
        1 << ZstandardDecoder.maximumWindowLog,
      ]
    ),
    (
      "a body in memory, after decoding",
      [
        Int(URLSessionConfiguration.default.maximumBufferedBodySize ?? 0),
        Int(URLSessionTask.maximumReservedBytes),
      ]
    ),
    (
      "a stream that is not read",
      [
        BodyChannel.defaultHighWaterMark, BodyChannel.defaultLowWaterMark, Int(retriever_http2_stream_window),
        Int(HTTP2Session.wideWindowBytes), HTTP2Session.maximumWideStreams,
      ]
    ),
    (
      "a TLS handshake of the own transport",
      [Int(TransferClientOptions().handshakeLimit.components.seconds)]
    ),
    ("a body on its way to a delegate", [DelegateBody.highWaterMark]),
    ("a download that waits for the disk", [DownloadFile.maximumBuffers, DownloadFile.bufferSize]),
    ("a request's body", [TransferBody.maximumInlineBytes]),
    ("a body from an `InputStream`", [StreamBody.bufferSize, StreamBody.maximumKeptBytes]),
    (
      "a response that is dropped for another request",
      [
        URLSessionTask.maximumDiscardedBytes,
        Int(URLSessionTask.maximumDiscardingTime.components.seconds),
      ]
    ),
    ("redirects in a row", [RedirectRule.maximumRedirects]),
    ("delegates that decide about servers", [DelegateClients.maximumClients]),
    ("decisions about a server", [TrustGate<Int, Int>.maximumDecisions]),
    ("questions that handshakes of a transfer raise", [Int(Transfer.maximumQuestions)]),
    ("refused credentials of a task", [ChallengeMachine.maximumRefusals]),
    ("measurements of a task", [TaskState.Measurements.maximumRecords]),
    (
      "a line; a JSON line; a server-sent event",
      [
        AsyncLineSequence<AsyncStream<UInt8>>.defaultMaximumLength,
        noBytes.jsonLines(of: Int.self).maximumLength,
        noBytes.serverSentEvents.maximumLength,
      ]
    ),
    (
      "cookies",
      [CookieJar.Limits().total, CookieJar.Limits().perSite, CookieJar.Limits().bytesPerCookie]
    ),
    (
      "remembered credentials",
      [
        CredentialCache().maximumCount, CredentialCache.maximumDirectories, CredentialCache.maximumSessions,
        DigestSession.maximumNonces,
      ]
    ),
    ("nonces of a task that were too old", [ChallengeMachine.maximumStaleNonces]),
    ("texts of a server that a Digest answer repeats", [DigestChallenge.maximumLength]),
    ("cookies and credentials in files", [RecordFile.maximumRecords, RecordFile.maximumBytes]),
    (
      "tasks of a background session",
      [
        BackgroundJournal.maximumTasks, BackgroundJournal.maximumCost, StoredRequest.maximumBody,
        BackgroundStore.maximumGrowth,
      ]
    ),
    ("bytes of a background download that the disk does not have", [Int(DownloadFile.maximumUnsynced)]),
    (
      "a recorded archive",
      [
        TrafficArchive.Limits().entries, TrafficArchive.Limits().bodyBytes,
        TrafficArchive.Limits().totalBodyBytes,
      ]
    ),
    (
      "stored responses",
      [
        URLCache.defaultMemoryCapacity, URLCache.defaultDiskCapacity, MemoryStore.maximumVariants,
        DiskStore.maximumPendingBytes,
      ]
    ),
    (
      "incomplete stored responses",
      [StoredExtent.maximumRanges, PartialRule.minimumPrefix, PartialRule.minimumPart]
    ),
    (
      "loads that wait for the response to another one",
      [
        LoadSharing.maximumFollowers, Int(SharedLoads.Limits().head.components.seconds),
        Int(SharedLoads.Limits().total.components.seconds), LoadSharing.maximumRefusals,
      ]
    ),
    ("URLs whose stored responses became invalid", [CacheInvalidations.maximumKeys]),
    ("a received WebSocket message, after decompression", [WebSocketConnection.defaultMaximumMessageSize]),
    (
      "WebSocket messages that nobody has received",
      [WebSocketStateMachine<Int, Int>.maximumBufferedBytes, WebSocketStateMachine<Int, Int>.messageCost]
    ),
    ("bytes of a stream task that are received or sent at one time", [StreamConnection.maximumPiece]),
    ("the buffers of captured streams", [CapturedStreams.bufferSize]),
    ("a body from an asynchronous sequence", [AsyncSequenceBody.maximumRepeatable]),
    (
      "attempts of a load that waited for a network",
      [
        ConnectivityRule.maximumAttemptsOnline, Int(ConnectivityRule.maximumPause.components.seconds),
      ]
    ),
    ("answers to a WebSocket server's pings", [WebSocketOutbox<Int>.maximumPongs]),
    (
      "closing a WebSocket connection",
      [Int(WebSocketConnection.defaultClosingTimeout.components.seconds)]
    ),
  ]

  private static var noBytes: AsyncStream<UInt8> { AsyncStream { $0.finish() } }

  @Test(arguments: rows) func `a row has the numbers of the constants`(name: String, numbers: [Int]) throws {
    #expect(try LimitsTable().numbers(of: name) == numbers)
  }

  @Test func `the session and the engine have the same number of connections to a host`() {
    #expect(
      URLSessionConfiguration.default.httpMaximumConnectionsPerHost
        == TransferClientOptions().connectionsPerHost)
  }

  @Test func `every row with a number is compared in a test of its module`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let tests = try ["Tests/RetrieverTests", "Tests/RetrieverImagesTests", "Kennel/Tests/HTTPServiceTests"]
      .map { root.appendingPathComponent($0).appendingPathComponent("LimitsTableTests.swift") }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    let names = try LimitsTable().names
    #expect(names.count > 20)
    #expect(names.filter { !tests.contains("\"\($0)\"") } == [])
  }

  @Test func `numbers are read with their units, and digits in names are not numbers`() throws {
    let table = try LimitsTable(
      text: """
        # Page
        ## Limits

        | What | Limit | Where |
        |---|---|---|
        | a | 1,024 remembered for 60 s; 64 KiB, 2 MiB or 3 GiB each (7 over HTTP/2) | `A`, `B` |
        | b | as many as HTTP/2 allows, `maximum3` | `B` |
        | c | 50 million pixels, 1,000 frames | `C` |

        ## Next
        """)
    #expect(table.numbers(of: "a") == [1024, 60, 64 << 10, 2 << 20, 3 << 30, 7])
    #expect(table.numbers(of: "b") == [])
    #expect(table.numbers(of: "c") == [50_000_000, 1000])
    #expect(table.numbers(of: "d") == nil)
    #expect(table.names == ["a", "c"])
  }
}
#endif
