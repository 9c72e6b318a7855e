#pragma once
// What a C++ host and the module must have alike, as one text that the compiler makes.

#include "plugin/host_api/host.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace lowtide {

/// A text of known size, put together at compile time.
struct ToolchainText {
    static constexpr size_t kMost = 255;

    constexpr ToolchainText& add(std::string_view text) {
        for (const char letter : text) {
            letters.at(size++) = letter;
        }
        return *this;
    }

    /// ";name=12".
    constexpr ToolchainText& add(std::string_view name, size_t value) {
        add(";").add(name).add("=");
        size_t unit = 1;
        while (value / unit >= 10) {
            unit *= 10;
        }
        for (; unit > 0; unit /= 10) {
            letters.at(size++) = static_cast<char>('0' + value / unit % 10);
        }
        return *this;
    }

    std::array<char, kMost + 1> letters{};
    size_t size = 0;
};

/// The standard library with what changes its layout, the C++ ABI (its thousands: what is behind
/// them concerns no type that crosses) and the sizes of all that crosses by layout.
constexpr ToolchainText toolchainText() {
    ToolchainText text;
#if defined(_GLIBCXX_USE_CXX11_ABI)
    text.add("libstdc++").add("cxx11abi", _GLIBCXX_USE_CXX11_ABI);
#else
    text.add("other");
#endif
#if defined(_GLIBCXX_DEBUG)
    text.add("debug", 1);
#else
    text.add("debug", 0);
#endif
#if defined(__GXX_ABI_VERSION)
    text.add("cxxabi", __GXX_ABI_VERSION / 1000);
#endif
    return text.add("string", sizeof(std::string))
        .add("Scalar", sizeof(Scalar))
        .add("Image8", sizeof(Image8))
        .add("ChoiceDesc", sizeof(ChoiceDesc))
        .add("ParamDesc", sizeof(ParamDesc))
        .add("PortDesc", sizeof(PortDesc))
        .add("NodeDesc", sizeof(NodeDesc));
}

inline constexpr ToolchainText kToolchainText = toolchainText();
/// Compared before anything is called. A change of a layout changes it; one that leaves all sizes
/// alike raises kAbi.
inline constexpr const char* kHostToolchain = kToolchainText.letters.data();

}  // namespace lowtide
