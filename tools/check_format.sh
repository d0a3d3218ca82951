#!/usr/bin/env bash
# Checks every C++ file against .clang-format; --fix rewrites those that differ.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run --Werror)
[[ ${1:-} != --fix ]] || mode=(-i)

mapfile -t files < <(find include src apps tests bench examples python \
  \( -name '*.hpp' -o -name '*.cpp' \) -type f | sort)
if [[ ${#files[@]} -eq 0 ]]; then
  echo "format: no files" >&2
  exit 1
fi
if ! clang-format "${mode[@]}" "${files[@]}"; then
  echo "format: files differ; 'make format' rewrites them" >&2
  exit 1
fi
echo "format: ${#files[@]} files"
