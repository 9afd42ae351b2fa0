import Foundation

/// What a scripted server does with one connection, step by step. Afterwards the connection is closed.
public struct Script: Sendable, ExpressibleByArrayLiteral {
  /// One step.
  public enum Step: Sendable {
    /// Reads a request with its body, and records it.
    case readRequest
    /// Reads only a request's head.
    case readHead
    /// Sends these bytes.
    case send(Data)
    /// Sends these bytes one at a time.
    case sendSlowly(Data)
    /// Sends these bytes repeatedly until the client disconnects or the server stops.
    case sendForever(Data)
    /// Waits until the gate is open.
    case waitFor(Gate)
    /// Opens the gate.
    case open(Gate)
    /// Reads until the client ends the connection.
    case readUntilClosed
    /// Closes the connection.
    case close
    /// Resets the connection.
    case reset
    /// Keeps the connection open and silent until the server stops.
    case hold

    /// Sends this text.
    public static func send(_ text: String) -> Step { .send(Data(text.utf8)) }
    /// Sends this text one byte at a time.
    public static func sendSlowly(_ text: String) -> Step { .sendSlowly(Data(text.utf8)) }
    /// Sends this text repeatedly.
    public static func sendForever(_ text: String) -> Step { .sendForever(Data(text.utf8)) }
    /// Sends this valid response.
    public static func send(_ reply: Reply) -> Step { .send(reply.bytes) }
  }

  /// The steps in order.
  public var steps: [Step]

  /// Creates a script with these steps.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Creates a script with these steps.
  public init(arrayLiteral elements: Step...) { steps = elements }

  /// Runs the steps on a connection, which stays open unless a step closes it.
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
