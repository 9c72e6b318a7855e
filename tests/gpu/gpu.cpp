#include "tests/gpu/gpu.hpp"

#include "tests/fixtures/folders.hpp"

namespace lowtide::testing {

std::shared_ptr<const residency::CudaLibrary> gpus() {
    static const auto library =
        std::make_shared<const residency::CudaLibrary>(buildPath("lib").toStdString());
    return library;
}

QString reasonToSkip() {
    const Message& problem = gpus()->problem();
    return problem.empty() ? QString() : "no GPU: " + QString::fromStdString(problem.str());
}

}  // namespace lowtide::testing
