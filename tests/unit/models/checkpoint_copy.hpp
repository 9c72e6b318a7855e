#pragma once

#include "plugin/base/json_fwd.hpp"

#include <QByteArray>
#include <QString>
#include <QTemporaryDir>

#include <functional>
#include <map>
#include <string>

namespace lowtide::testing {

/// A copy of a checkpoint's folder that a test may damage.
class CheckpointCopy {
public:
    /// Of the mini model.
    CheckpointCopy();
    explicit CheckpointCopy(const QString& source);

    [[nodiscard]] std::string path() const;
    [[nodiscard]] QString file(const QString& relative) const;
    void write(const QString& relative, const QByteArray& bytes) const;
    void remove(const QString& relative) const;
    /// Sets one key of a JSON file.
    void set(const QString& relative, const std::string& key, const Json& value) const;
    /// Splits a safetensors file into `names`, tensors in turn, and removes it. Returns tensor ->
    /// file.
    std::map<std::string, std::string> split(const QString& relative,
                                             const std::vector<std::string>& names) const;

private:
    QTemporaryDir folder_;
};

}  // namespace lowtide::testing
