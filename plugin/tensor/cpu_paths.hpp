#pragma once
// Which code the operators of the CPU run, and the measurement that chooses; part of what decides
// about bits.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::tensor {

/// ATen's operator, or ours for one instruction set. Ours give the same bits on all but AMX, which
/// only products have: they are as exact there, and have other bits.
enum class CpuPath : uint8_t { Plain, Avx2, Avx512, Amx };

/// As large as an integer, so that it is read at once.
struct alignas(4) CpuPaths {
    CpuPath convolution = CpuPath::Plain;
    CpuPath attention = CpuPath::Plain;
    CpuPath groupNorm = CpuPath::Plain;
    CpuPath product = CpuPath::Plain;  ///< of f32 with weights in 16 bits

    bool operator==(const CpuPaths&) const = default;
};

/// What this processor can run every operator by, ATen's own first, the newest instructions last.
/// As ATen, it obeys ATEN_CPU_CAPABILITY.
[[nodiscard]] std::vector<CpuPath> possibleCpuPaths();
/// The same for products with weights in 16 bits.
[[nodiscard]] std::vector<CpuPath> possibleProductPaths();

/// Ours with the newest instructions for everything: what is taken where nothing was measured.
[[nodiscard]] CpuPaths defaultCpuPaths();

/// Those of this process; the default until they are set.
[[nodiscard]] CpuPaths cpuPaths() noexcept;
[[nodiscard]] bool canRun(const CpuPaths& paths);
/// To be called before the first operator runs: what was computed before has other bits. Paths that
/// the processor cannot run are an Error{InvalidInput}.
void setCpuPaths(const CpuPaths& paths);

/// Other paths while it lives, on every thread: for measurements and tests.
class CpuPathsScope {
public:
    explicit CpuPathsScope(const CpuPaths& paths) : before_(cpuPaths()) { setCpuPaths(paths); }

    ~CpuPathsScope() { setCpuPaths(before_); }

    CpuPathsScope(const CpuPathsScope&) = delete;
    CpuPathsScope& operator=(const CpuPathsScope&) = delete;

private:
    CpuPaths before_;
};

/// "convolution avx512, attention plain, norm avx512, product avx512", and back; nothing for other
/// texts.
[[nodiscard]] std::string toText(const CpuPaths& paths);
[[nodiscard]] std::optional<CpuPaths> parseCpuPaths(std::string_view text);

/// Times every operator that has a choice on every path of this processor, in a second or two, and
/// reports which path is fastest; the default where none is clearly faster, so that a busy moment
/// decides nothing. Of CPU time: other programs may run. Run thread, no other run at work.
[[nodiscard]] CpuPaths measureCpuPaths();

}  // namespace lowtide::tensor
