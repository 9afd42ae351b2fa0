import CCurl
import HTTPSyntax

// Properties of a response that are recorded while it passes, for the rules about endings and for the metrics.
extension Transfer {
  func note(_ head: TransferHead) {
    response.hasHead = true
    // A server can write anything into the status line. The protocol was negotiated before.
    response.isHTTP2 =
      isOnOwnTransport
      ? carrier?.http2 != nil : head.version == "HTTP/2" && destination?.isMultiplexed != false
    noteHTTP3(head)
    response.announcedLength = head.contentLength
    response.hasNoBody = request.method == "HEAD" || head.status == 204 || head.status == 304
    if request.isUpgrade { noteUpgrade(head) }
    // If the request had a body, libcurl waits for a response body, regardless of the method.
    if request.method == "HEAD", request.body.isPresent, !isOnOwnTransport { response.endsAtHead = true }
    if isOnOwnTransport { noteOwn(head) }
    if let destination, destination.isMultiplexed == nil, !request.isUpgrade, request.signIn == nil {
      core.learn(isMultiplexed: response.isHTTP2 || response.isHTTP3, destination)
    }
    guard let destination, destination.address.isSecure, let handle else { return }
    // HTTP/3 may have been the only protocol known so far.
    if destination.allowsHTTP3, destination.isMultiplexed == true, head.version.hasPrefix("HTTP/1") {
      core.learn(isMultiplexed: false, destination)
    }
    if !response.isHTTP2, !response.isHTTP3, head.contentLength == nil, !response.hasNoBody,
      !self.head.isChunked,
      core.trust.store != nil
    {
      response.connection = Curl.tlsConnection(handle.easy).flatMap(OpenSSL.WatchedConnection.init)
    }
    if request.collectsTimings, let connection = Curl.tlsConnection(handle.easy) {
      response.tlsVersion = OpenSSL.version(of: connection)
      response.tlsCipherSuite = OpenSSL.cipherSuite(of: connection)
    }
  }

  private func noteOwn(_ head: TransferHead) {
    ownNotes.answeredAt = core.loop.now
    ownNotes.version = ASCII.lowercased(head.version)
  }

  var observation: EndingRule.Observation {
    EndingRule.Observation(
      isHTTP2: response.isHTTP2,
      sawEndOfStream: isOnOwnTransport
        ? ownNotes.sawEndOfStream : Curl.observesStreams ? handle?.sawEndOfStream : nil,
      streamLength: Curl.observesStreams ? handle?.streamBytes : nil,
      announcedLength: response.announcedLength, receivedLength: response.receivedLength,
      isChunked: head.isChunked, hasNoBody: response.hasNoBody,
      sawCloseNotify: response.connection?.sawCloseNotify,
      hasHead: response.hasHead)
  }

  func timings(_ handle: EasyHandle) -> TransferTimings {
    var timings = TransferTimings(easy: handle.easy)
    timings.requestHeaderBytes -= Int64(min(attempt.requestSizeBefore, Int(timings.requestHeaderBytes)))
    timings.responseHeaderBytes = Int64(head.byteCount)
    timings.tlsVersion = response.tlsVersion
    timings.tlsCipherSuite = response.tlsCipherSuite
    timings.isProxied = destination?.proxy != nil
    let lookup = turnMoment.duration(since: startMoment)
    timings.shift(by: beginMoment.duration(since: startMoment), lookupStart: lookup)
    if case .source = request.body, !request.isUpgrade {
      // libcurl has no time for this. A server may answer before it has the complete body.
      let end = bodyEndMoment?.duration(since: startMoment)
      let total = timings.total
      timings.requestEnd = timings.requestStart.flatMap { start in end.map { max(start, min($0, total)) } }
    }
    return timings
  }
}
