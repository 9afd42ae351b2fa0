// The entry point for libFuzzer. scripts/fuzz builds this file with the pure parts of WebSocket connections.
import Foundation

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = UnsafeRawBufferPointer(start: bytes, count: count)
  guard let first = input.first else { return 0 }
  let rest = UnsafeRawBufferPointer(rebasing: input.dropFirst())
  if first & 0x80 != 0 {
    readHandshake(rest)
    return 0
  }
  let pieces = [rest.count, 1, 7].map { exchange(rest, compresses: first & 1 != 0, piece: max(1, $0)) }
  precondition(pieces[0] == pieces[1] && pieces[0] == pieces[2], "the size of the pieces changes the result")
  return 0
}

/// Feeds a connection, and returns its messages and its end.
private func exchange(_ input: UnsafeRawBufferPointer, compresses: Bool, piece: Int) -> [WebSocketMessage?] {
  let limit = 10_000
  var machine = WebSocketStateMachine<Int, Int>(
    maximumMessageSize: limit, outbox: WebSocketOutbox(makeKey: { 0 }))
  _ = machine.opened(compresses ? PermessageDeflate() : nil)
  var messages: [WebSocketMessage?] = []
  func note(_ actions: [WebSocketStateMachine<Int, Int>.Action]) {
    for action in actions {
      if case .deliver(_, let message) = action {
        precondition(message.bytes.count <= limit, "a message is too big")
        precondition(
          !message.isText || String(validating: message.bytes, as: UTF8.self) != nil, "a text is not valid")
        messages.append(message)
      }
    }
  }
  func receiveAll() {
    while true {
      let count = messages.count
      note(machine.receive(0, id: 0))
      if messages.count == count { return note(machine.cancelReceive(id: 0)) }
    }
  }
  var rest = input
  while !rest.isEmpty {
    let part = UnsafeRawBufferPointer(rebasing: rest.prefix(piece))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece))
    note(machine.received(part).actions)
    receiveAll()
  }
  if machine.closing != nil { messages.append(nil) }
  var buffer = [UInt8](repeating: 0, count: 100)
  while buffer.withUnsafeMutableBytes({ machine.write(into: $0).count }) > 0 {}
  _ = machine.end(nil)
  return messages
}

private func readHandshake(_ input: UnsafeRawBufferPointer) {
  let text = String(decoding: input, as: UTF8.self)
  let agreement = try? PermessageDeflate(values: text.components(separatedBy: "\n"), isOffered: true)
  if let agreement {
    precondition(8...15 ~= agreement.clientWindowBits, "the window is not valid")
  }
  let closing = try? WebSocketClosing(payload: Array(input))
  precondition(closing.map { $0.payload == Array(input) } ?? true, "a Close frame changes")
}
