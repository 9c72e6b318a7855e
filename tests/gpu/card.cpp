#include "tests/gpu/card.hpp"

#include "tests/fixtures/folders.hpp"

namespace lowtide::testing {

std::shared_ptr<const residency::CudaLibrary> cards() {
    static const auto library =
        std::make_shared<const residency::CudaLibrary>(buildPath("lib").toStdString());
    return library;
}

QString reasonToSkip() {
    const Message& problem = cards()->problem();
    return problem.empty() ? QString() : "no card: " + QString::fromStdString(problem.str());
}

}  // namespace lowtide::testing
