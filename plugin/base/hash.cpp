#include "plugin/base/hash.hpp"

#include "plugin/base/error.hpp"

#include <openssl/evp.h>

namespace lowtide {

struct Hasher::State {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                    &EVP_MD_CTX_free};
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
    LOWTIDE_ASSERT(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Hasher::~Hasher() = default;

Hasher& Hasher::add(std::string_view text) {
    add(static_cast<int64_t>(text.size()));
    return addRaw(std::as_bytes(std::span(text)));
}

Hasher& Hasher::add(int64_t number) {
    return addRaw(std::as_bytes(std::span(&number, 1)));
}

Hasher& Hasher::addRaw(std::span<const std::byte> bytes) {
    LOWTIDE_ASSERT(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
    return *this;
}

std::string Hasher::hexDigest() {
    std::array<unsigned char, 32> digest{};
    unsigned int length = 0;
    LOWTIDE_ASSERT(EVP_DigestFinal_ex(state_->context.get(), digest.data(), &length) == 1);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : digest) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::string sha256Hex(std::string_view text) {
    return Hasher().addRaw(std::as_bytes(std::span(text))).hexDigest();
}

}  // namespace lowtide
