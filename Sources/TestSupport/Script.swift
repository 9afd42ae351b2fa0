import Foundation

/// What a scripted server does with one connection, step by step; then the connection is closed.
public struct Script: Sendable, ExpressibleByArrayLiteral {
  /// One step.
  public enum Step: Sendable {
    /// Reads a request with its body and records it.
    case readRequest
    /// Reads a request's head only.
    case readHead
    /// Sends these bytes.
    case send(Data)
    /// Sends these bytes one at a time.
    case sendSlowly(Data)
    /// Sends these bytes again and again until the peer is gone or the server stops.
    case sendForever(Data)
    /// Waits until the gate is open.
    case waitFor(Gate)
    /// Opens the gate.
    case open(Gate)
    /// Reads until the peer ends the connection.
    case readUntilClosed
    /// Closes.
    case close
    /// Resets.
    case reset
    /// Keeps the connection open and silent until the server stops.
    case hold

    /// Sends this text.
    public static func send(_ text: String) -> Step { .send(Data(text.utf8)) }
    /// Sends this text one byte at a time.
    public static func sendSlowly(_ text: String) -> Step { .sendSlowly(Data(text.utf8)) }
    /// Sends this text again and again.
    public static func sendForever(_ text: String) -> Step { .sendForever(Data(text.utf8)) }
    /// Sends this well-formed response.
    public static func send(_ reply: Reply) -> Step { .send(reply.bytes) }
  }

  /// The steps in order.
  public var steps: [Step]

  /// A script of these steps.
  public init(_ steps: [Step]) { self.steps = steps }

  /// A script of these steps.
  public init(arrayLiteral elements: Step...) { steps = elements }

  /// Plays the steps on a connection, which stays open unless a step closes it.
  public func run(on connection: ScriptedConnection) throws {
    for step in steps {
      switch step {
      case .readRequest: _ = try connection.readRequest()
      case .readHead: _ = try connection.readHead()
      case .send(let bytes): try connection.send(bytes)
      case .sendSlowly(let bytes): try connection.sendSlowly(bytes)
      case .sendForever(let bytes): while true { try connection.send(bytes) }
      case .waitFor(let gate): try connection.wait(for: gate)
      case .open(let gate): gate.open()
      case .readUntilClosed: try connection.readUntilClosed()
      case .close: connection.close()
      case .reset: connection.reset()
      case .hold: try connection.hold()
      }
    }
  }
}
