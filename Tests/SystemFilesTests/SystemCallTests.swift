import Glibc
import SystemFiles
import Testing

struct SystemCallTests {
  @Test func `a call is repeated while signals interrupt it`() {
    var calls = 0
    let result = SystemCall.retrying { () -> Int in
      calls += 1
      errno = EINTR
      return calls < 4 ? -1 : 7
    }
    #expect(result == 7)
    #expect(calls == 4)
  }

  @Test func `another error is returned and stays in errno`() {
    var calls = 0
    let (result, code) = {
      let result = SystemCall.retrying { () -> Int32 in
        calls += 1
        errno = calls == 1 ? EINTR : ENOSPC
        return -1
      }
      return (result, errno)
    }()
    #expect(result == -1)
    #expect(code == ENOSPC)
    #expect(calls == 2)
  }

  @Test func `a result of 0 is returned even if errno is EINTR`() {
    var calls = 0
    let result = SystemCall.retrying { () -> Int in
      calls += 1
      errno = EINTR
      return 0
    }
    #expect(result == 0)
    #expect(calls == 1)
  }

  @Test func `an error has the description of the system`() {
    #expect(SystemError(ENOENT).reason == "No such file or directory")
  }
}
