#include "tests/golden/case_problems.hpp"

#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/tensor_file.hpp"

#include <QTemporaryDir>

namespace lowtide::testing {

std::string caseProblems(const Json& test,
                         const QString& goldens,
                         const QString& graph,
                         const QStringList& settings,
                         const std::string& key,
                         RunIn process) {
    constexpr size_t kFewestValues = 20;
    const QTemporaryDir folder;
    const QString dump = folder.filePath("dump.safetensors");
    QStringList arguments = {"run", graph, "--out", folder.path(), "--dump", dump};
    for (const QString& setting : settings) {
        arguments << "--set" << setting;
    }
    const CommandResult run =
        process == RunIn::Program ? runLowtide(arguments) : runInProcess(arguments);
    if (run.exitCode != 0) {
        return "exit " + std::to_string(run.exitCode) + ": " + run.errors.toStdString();
    }
    const TensorFile expected = readTensorFile(goldens.toStdString() + "/" +
                                               test.at("name").get<std::string>() + ".safetensors");
    if (expected.size() <= kFewestValues) {
        return "the reference recorded only " + std::to_string(expected.size()) + " values";
    }
    if (!key.empty() && !expected.contains(key)) {
        return "the reference recorded no " + key;
    }
    return disagreements(expected, readTensorFile(dump.toStdString()));
}

}  // namespace lowtide::testing
